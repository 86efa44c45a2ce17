/* SPDX-License-Identifier: MIT */
/* Digests and MACs: the examples of FIPS 180-4 and RFC 4231, pieces, files. */
#include "base/digest.h"

#include "tap.h"

#include <stdlib.h>
#include <unistd.h>

enum { MILLION = 1000000, LONGEST = 300 };

static void digest_of(const void *data, size_t n, char text[AM_DIGEST_TEXT])
{
    unsigned char bytes[AM_DIGEST_BYTES];
    struct am_digest d;

    am_digest_init(&d);
    am_digest_add(&d, data, n);
    am_digest_finish(&d, bytes);
    am_digest_text(bytes, text);
}

static void test_examples(void)
{
    static const struct {
        const char *text, *digest;
    } examples[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    char text[AM_DIGEST_TEXT];
    char *const many = malloc(MILLION);

    for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
        digest_of(examples[i].text, strlen(examples[i].text), text);
        is_str(text, examples[i].digest, "an example of the standard");
    }
    if (many) {
        memset(many, 'a', MILLION);
        digest_of(many, MILLION, text);
    }
    is_str(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
           "a million letters");
    free(many);
}

/* However the bytes are parted, of every length around the ends of blocks. */
static void test_pieces(void)
{
    unsigned char data[LONGEST], bytes[AM_DIGEST_BYTES];
    char whole[AM_DIGEST_TEXT], pieces[AM_DIGEST_TEXT];
    size_t different = 0;

    for (size_t i = 0; i < LONGEST; i++)
        data[i] = (unsigned char)(i * 7);
    for (size_t n = 0; n <= LONGEST; n++) {
        struct am_digest d;

        digest_of(data, n, whole);
        am_digest_init(&d);
        for (size_t at = 0, step = 1; at < n; at += step, step = step * 3 % 71 + 1)
            am_digest_add(&d, data + at, step < n - at ? step : n - at);
        am_digest_finish(&d, bytes);
        am_digest_text(bytes, pieces);
        different += strcmp(whole, pieces) != 0;
    }
    ok(different == 0, "pieces give the digest of the whole: %zu do not", different);
}

static void test_mac(void)
{
    unsigned char key[131], bytes[AM_DIGEST_BYTES];
    char text[AM_DIGEST_TEXT];
    static const char hi[] = "Hi There", what[] = "what do ya want for nothing?",
                      larger[] = "Test Using Larger Than Block-Size Key - Hash Key First";

    memset(key, 0x0b, sizeof(key));
    am_digest_mac(key, 20, hi, strlen(hi), bytes);
    am_digest_text(bytes, text);
    is_str(text, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7", "case 1");
    am_digest_mac("Jefe", 4, what, strlen(what), bytes);
    am_digest_text(bytes, text);
    is_str(text, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", "case 2");
    memset(key, 0xaa, sizeof(key));
    am_digest_mac(key, sizeof(key), larger, strlen(larger), bytes);
    am_digest_text(bytes, text);
    is_str(text, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
           "case 6: a key longer than a block");
}

static void test_file(void)
{
    char path[] = "digest-XXXXXX", text[AM_DIGEST_TEXT];
    const int fd = mkstemp(path);

    ok(fd >= 0 && write(fd, "abc", 3) == 3 && am_digest_file(path, text), "a file is read");
    is_str(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
           "and has the digest of its bytes");
    if (fd >= 0)
        (void)close(fd);
    (void)unlink(path);
    ok(!am_digest_file(path, text) && !*text, "one that is not there has none");
    ok(!am_digest_file(".", text) && !*text, "nor has a folder");
}

int main(void)
{
    test_examples();
    test_pieces();
    test_mac();
    test_file();
    return tap_done();
}
