/* SPDX-License-Identifier: MIT */
/* Digests and MACs: the examples of FIPS 180-4 and RFC 4231, pieces, files. */
#include "base/digest.h"
#include "base/sha256.h"

#include "tap.h"

#include <stdlib.h>
#include <unistd.h>

enum { MILLION = 1000000, LONGEST = 300, SHORTEST_PADDING = 9, BLOCKS = 40 };

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

/* The digest by one way alone, padded here: only the blocks are its own. */
static void digest_by(am_sha256_fn *take, const unsigned char *data, size_t n,
                      uint32_t state[AM_SHA256_WORDS])
{
    static const uint32_t start[AM_SHA256_WORDS] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned char padded[LONGEST + 2 * AM_SHA256_BLOCK] = {0};
    const size_t blocks = (n + SHORTEST_PADDING + AM_SHA256_BLOCK - 1) / AM_SHA256_BLOCK;

    memcpy(padded, data, n);
    padded[n] = 0x80;
    padded[blocks * AM_SHA256_BLOCK - 2] = (unsigned char)(8 * n >> 8);
    padded[blocks * AM_SHA256_BLOCK - 1] = (unsigned char)(8 * n);
    memcpy(state, start, sizeof(start));
    take(state, padded, blocks);
}

static bool has_digest(const uint32_t state[AM_SHA256_WORDS], const char *digest)
{
    char text[AM_DIGEST_TEXT];

    for (size_t i = 0; i < AM_SHA256_WORDS; i++)
        (void)snprintf(text + 8 * i, 9, "%08x", (unsigned)state[i]);
    return strcmp(text, digest) == 0;
}

/* Every length from 0 on, the bytes others for each. */
static size_t count_wrong_lengths(am_sha256_fn *take)
{
    unsigned char data[LONGEST];
    uint32_t state[AM_SHA256_WORDS];
    char digest[AM_DIGEST_TEXT];
    size_t wrong = 0;

    for (size_t n = 0; n <= LONGEST; n++) {
        for (size_t i = 0; i < n; i++)
            data[i] = (unsigned char)(i * 131 + n * 17 + (i * n >> 3));
        digest_of(data, n, digest);
        digest_by(take, data, n, state);
        wrong += !has_digest(state, digest);
    }
    return wrong;
}

/* Blocks at odd addresses, from 0 to many at once, from any state: as the portable way has it. */
static size_t count_wrong_blocks(am_sha256_fn *take, am_sha256_fn *portable)
{
    static unsigned char data[BLOCKS * AM_SHA256_BLOCK + 1];
    uint32_t a[AM_SHA256_WORDS], b[AM_SHA256_WORDS];
    size_t wrong = 0;

    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (unsigned char)(i * i * 97 >> 5);
    for (size_t n = 0; n <= BLOCKS; n++) {
        for (size_t i = 0; i < AM_SHA256_WORDS; i++)
            a[i] = b[i] = (uint32_t)(0x9e3779b9 * (n * AM_SHA256_WORDS + i + 1));
        take(a, data + n % 2, n);
        portable(b, data + n % 2, n);
        wrong += memcmp(a, b, sizeof(a)) != 0;
    }
    return wrong;
}

static void test_ways(void)
{
    size_t n = 0;

    while (am_sha256_ways[n].name)
        n++;
    ok(n > 0 && am_sha256_ways[n - 1].is_usable(), "portable C can always be used");
    for (size_t i = 0; i < n; i++) {
        const struct am_sha256 *const way = &am_sha256_ways[i];
        uint32_t state[AM_SHA256_WORDS];

        if (!way->is_usable()) {
            printf("# %s: this machine has none\n", way->name);
            continue;
        }
        digest_by(way->take, (const unsigned char *)"abc", 3, state);
        ok(has_digest(state, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
           "%s: the standard's example", way->name);
        ok(count_wrong_lengths(way->take) == 0, "%s: the digests of 0 to %d bytes", way->name,
           LONGEST);
        ok(count_wrong_blocks(way->take, am_sha256_ways[n - 1].take) == 0,
           "%s: 0 to %d blocks at once, as the portable way", way->name, BLOCKS);
    }
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
    test_ways();
    test_mac();
    test_file();
    return tap_done();
}
