/* SPDX-License-Identifier: MIT */
/* What made-up systems claim: firmware tables byte by byte, EDAC's files, PCI's links. */
#include "fsroot/tree.h"
#include "tap.h"
#include "topo/claims.h"

#include <stdint.h>

enum { TABLES = 16 * 1024, MODULE = 40, ARRAY = 23 };

/* Tables under construction. */
struct tables {
    unsigned char bytes[TABLES];
    size_t n;
};

/* A structure with two strings at most; `body` is its formatted part behind the header. */
static unsigned char *add(struct tables *t, unsigned type, size_t len, const char *one,
                          const char *two)
{
    unsigned char *const s = t->bytes + t->n;
    const char *const strings[] = {one, two};

    memset(s, 0, len);
    s[0] = (unsigned char)type;
    s[1] = (unsigned char)len;
    t->n += len;
    for (size_t i = 0; i < 2 && strings[i]; i++) {
        memcpy(t->bytes + t->n, strings[i], strlen(strings[i]) + 1);
        t->n += strlen(strings[i]) + 1;
    }
    if (!one)
        t->bytes[t->n++] = 0;
    t->bytes[t->n++] = 0;
    return s;
}

static void put16(unsigned char *at, unsigned value)
{
    at[0] = (unsigned char)value;
    at[1] = (unsigned char)(value >> 8);
}

static void add_module(struct tables *t, const char *locator, const char *bank, unsigned size,
                       unsigned mts)
{
    unsigned char *const s = add(t, 17, MODULE, locator, bank);

    put16(s + 0x0a, 64);
    put16(s + 0x0c, size);
    s[0x10] = 1;
    s[0x11] = bank ? 2 : 0;
    put16(s + 0x15, 4800);
    put16(s + 0x20, mts);
}

static void put_tables(struct tree *tree, const struct tables *t)
{
    char path[PATH_MAX];
    FILE *f;

    tree_put(tree, "sys/firmware/dmi/tables/DMI", "%s", "");
    (void)snprintf(path, sizeof(path), "%s/sys/firmware/dmi/tables/DMI", tree->path);
    f = fopen(path, "w");
    tree->broken |= !f || fwrite(t->bytes, 1, t->n, f) != t->n || fclose(f) != 0;
}

static struct am_kvs read_claims(const struct tree *tree, struct am_arena *arena)
{
    struct am_fsroot root = {0};
    struct am_kvs out = {0};

    if (am_fsroot_open(&root, tree->path, NULL) == AM_OK)
        am_claims_read(&root, arena, &out);
    am_fsroot_close(&root);
    return out;
}

static void claims(const struct am_kvs *kvs, const char *key, const char *want)
{
    const char *const text = am_kvs_get(kvs, key);

    ok(want ? text && strcmp(text, want) == 0 : !text, "%s: %s (%s)", key, want ? want : "nothing",
       text ? text : "nothing");
}

static void test_nothing(void)
{
    struct am_arena arena = {0};
    struct am_kvs kvs;
    struct tree t;

    tree_open(&t);
    kvs = read_claims(&t, &arena);
    ok(kvs.n == 0, "an empty tree claims nothing");
    tree_close(&t);
    am_arena_fini(&arena);
}

/* Two channels with two modules each, one of them with one slot empty, and a QEMU-like module
 * without a rate. */
static void test_channels(void)
{
    struct am_arena arena = {0};
    struct tables tables = {.n = 0};
    struct am_kvs kvs;
    struct tree t;

    add(&tables, 16, ARRAY, NULL, NULL)[6] = 6;
    add_module(&tables, "DIMM 0", "P0 CHANNEL A", 16384, 4400);
    add_module(&tables, "DIMM 1", "P0 CHANNEL A", 16384, 4400);
    add_module(&tables, "DIMM 0", "P0 CHANNEL B", 16384, 4400);
    add_module(&tables, "DIMM 1", "P0 CHANNEL B", 0, 4400);
    add(&tables, 127, 4, NULL, NULL);
    tree_open(&t);
    put_tables(&t, &tables);
    kvs = read_claims(&t, &arena);
    claims(&kvs, "memory_channels", "2");
    claims(&kvs, "memory_mts", "4400");
    claims(&kvs, "memory_bytes_per_s", "70400000000");
    claims(&kvs, "ecc", "multi-bit");
    claims(&kvs, "link", NULL);
    tree_close(&t);
    am_arena_fini(&arena);
}

static void test_names(void)
{
    static const struct {
        const char *names[3];
        const char *channels;
    } cases[] = {{{"DIMM_A1", "DIMM_A2", "DIMM_B1"}, "2"},
                 {{"ChannelA-DIMM0", "ChannelA-DIMM1", "ChannelB-DIMM0"}, "2"},
                 {{"DIMM 0", "DIMM 1", "DIMM 2"}, "3"}, /* no name tells: each its own */
                 {{"CPU0_DIMM_A1", "CPU1_DIMM_A1", "CPU0_DIMM_B1"}, "3"}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_arena arena = {0};
        struct tables tables = {.n = 0};
        struct am_kvs kvs;
        struct tree t;

        for (size_t k = 0; k < 3; k++)
            add_module(&tables, cases[i].names[k], NULL, 8192, 0);
        tree_open(&t);
        put_tables(&t, &tables);
        kvs = read_claims(&t, &arena);
        claims(&kvs, "memory_channels", cases[i].channels);
        claims(&kvs, "memory_mts", "4800"); /* not configured: the module's best */
        tree_close(&t);
        am_arena_fini(&arena);
    }
}

/* Tables that end anywhere, or say more than they have, are read up to there. */
static void test_broken(void)
{
    struct tables tables = {.n = 0};
    size_t read = 0;

    add_module(&tables, "DIMM_A1", "BANK 0", 8192, 3200);
    add_module(&tables, "DIMM_B1", "BANK 1", 8192, 3200);
    for (size_t n = 0; n <= tables.n; n++) {
        struct tables cut = tables;
        struct am_arena arena = {0};
        struct tree t;

        cut.n = n;
        tree_open(&t);
        put_tables(&t, &cut);
        (void)read_claims(&t, &arena);
        read++;
        tree_close(&t);
        am_arena_fini(&arena);
    }
    ok(read == tables.n + 1, "%zu cut tables are read", read);
}

static void test_edac(void)
{
    struct am_arena arena = {0};
    struct tables tables = {.n = 0};
    struct am_kvs kvs;
    struct tree t;

    add(&tables, 16, ARRAY, NULL, NULL)[6] = 3;
    tree_open(&t);
    put_tables(&t, &tables);
    kvs = read_claims(&t, &arena);
    claims(&kvs, "ecc", "none");
    tree_put(&t, "sys/devices/system/edac/mc/mc0/dimm0/dimm_edac_mode", "SECDED");
    kvs = read_claims(&t, &arena);
    claims(&kvs, "ecc", "SECDED"); /* the running controller counts before the firmware */
    tree_close(&t);
    am_arena_fini(&arena);
}

static void put_device(struct tree *t, const char *name, const char *kind, const char *speed,
                       const char *width)
{
    char path[256];

    (void)snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/class", name);
    tree_put(t, path, "%s", kind);
    (void)snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/max_link_speed", name);
    tree_put(t, path, "%s", speed);
    (void)snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/current_link_width", name);
    tree_put(t, path, "%s", width);
}

static void test_links(void)
{
    struct am_arena arena = {0};
    struct am_kvs kvs;
    struct tree t;

    tree_open(&t);
    put_device(&t, "0000:01:00.0", "0x010802", "32.0 GT/s PCIe", "16"); /* a disk */
    put_device(&t, "0000:02:00.0", "0x030000", "Unknown", "63");
    kvs = read_claims(&t, &arena);
    claims(&kvs, "link", NULL);
    put_device(&t, "0000:03:00.0", "0x030200", "5.0 GT/s PCIe", "16");
    kvs = read_claims(&t, &arena);
    claims(&kvs, "link_bytes_per_s", "8000000000");
    put_device(&t, "0000:04:00.0", "0x030200", "16.0 GT/s PCIe", "16");
    kvs = read_claims(&t, &arena);
    claims(&kvs, "link", "16 GT/s x 16");
    claims(&kvs, "link_bytes_per_s", "31507692308");
    tree_close(&t);
    am_arena_fini(&arena);
}

int main(void)
{
    test_nothing();
    test_channels();
    test_names();
    test_broken();
    test_edac();
    test_links();
    return tap_done();
}
