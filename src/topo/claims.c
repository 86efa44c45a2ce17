/* SPDX-License-Identifier: MIT */
/* What the system claims beyond its topology: memory channels and their rate, error correction, the
 * link of an accelerator.
 *
 * Memory comes from the firmware's tables (SMBIOS: type 17 is a module, type 16 the array), which
 * only root may read; error correction from EDAC, else from the array; links from PCI's files. What
 * cannot be read gives no key. Nothing here was measured: the family of claims holds it against
 * measurements. Everything is read below the root, so that made-up trees can be tried. */
#include "topo/claims.h"

#include "base/text.h"
#include "topo/probe.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    TABLES_MAX = 256 * 1024, /* bytes of firmware tables */
    MODULES_MAX = 256,
    NAME_MAX_BYTES = 64,
    TYPE_ARRAY = 16,
    TYPE_MODULE = 17,
};

/* ---- the firmware's tables ---- */

/* One structure: its formatted part of `len` bytes, its strings up to `end`. */
struct structure {
    const unsigned char *data, *end;
    size_t len;
};

static unsigned word_at(const struct structure *s, size_t offset)
{
    return offset + 2 <= s->len ? s->data[offset] | (unsigned)s->data[offset + 1] << 8 : 0;
}

/* String number `at` of the structure; "" without. */
static void string_at(const struct structure *s, size_t offset, char *out, size_t cap)
{
    unsigned n = offset < s->len ? s->data[offset] : 0;
    const unsigned char *p = s->data + s->len;

    out[0] = '\0';
    while (n > 1 && p < s->end) {
        p += strnlen((const char *)p, (size_t)(s->end - p)) + 1;
        n--;
    }
    if (n == 1 && p < s->end) {
        const size_t len = strnlen((const char *)p, (size_t)(s->end - p));

        memcpy(out, p, len < cap ? len : cap - 1);
        out[len < cap ? len : cap - 1] = '\0';
    }
}

/* The structure at `p`, and where the next begins; NULL where the tables end or are broken. */
static const unsigned char *next_structure(const unsigned char *p, const unsigned char *end,
                                           struct structure *out)
{
    const unsigned char *q;

    if (end - p < 4 || p[1] < 4 || p[1] > end - p)
        return NULL;
    *out = (struct structure){.data = p, .len = p[1]};
    q = p + p[1];
    while (q + 1 < end && (q[0] || q[1]))
        q++;
    out->end = q < end ? q : end;
    return q + 2 <= end ? q + 2 : end;
}

/* ---- modules of memory ---- */

struct module {
    double bytes_per_s;
    unsigned mts;
    char channel[NAME_MAX_BYTES];
};

struct memory {
    struct module modules[MODULES_MAX];
    size_t n;
    unsigned correction; /* of the array, as the firmware numbers it; 0: not said */
};

/* Drops what follows the channel in a module's name: "ChannelA-DIMM0", "DIMM_A1", "P0 CHANNEL B".
 */
static void cut_to_channel(char *name)
{
    char *const word = strcasestr(name, "channel");
    char *end = word ? word + strcspn(word, "-_/") : name + strlen(name);

    if (!word) {
        while (end > name && isdigit((unsigned char)end[-1]))
            end--;
    }
    *end = '\0';
}

static void name_channel(const struct structure *s, char *out, size_t cap)
{
    char bank[NAME_MAX_BYTES];

    string_at(s, 0x11, bank, sizeof(bank));
    if (strcasestr(bank, "channel"))
        (void)am_str_copy(out, cap, bank);
    else
        string_at(s, 0x10, out, cap);
    cut_to_channel(out);
}

/* A module that is there and states its rate. Its configured rate counts before its best. */
static void add_module(struct memory *m, const struct structure *s)
{
    const unsigned bits = word_at(s, 0x0a), size = word_at(s, 0x0c);
    const unsigned configured = word_at(s, 0x20), mts = configured ? configured : word_at(s, 0x15);
    struct module *const module = &m->modules[m->n];

    if (size == 0 || mts == 0 || mts == 0xffff || bits == 0 || bits > 1024 || m->n == MODULES_MAX)
        return;
    module->mts = mts;
    module->bytes_per_s = mts * 1e6 * bits / 8;
    name_channel(s, module->channel, sizeof(module->channel));
    m->n++;
}

static bool read_memory(const struct am_fsroot *root, struct memory *m)
{
    unsigned char *const tables = malloc(TABLES_MAX);
    const ssize_t len =
        tables ? am_fsroot_read(root, "sys/firmware/dmi/tables/DMI", (char *)tables, TABLES_MAX)
               : -1;
    const unsigned char *p = tables;
    struct structure s;

    *m = (struct memory){0};
    while (len > 0 && (p = next_structure(p, tables + len, &s)) != NULL) {
        if (s.data[0] == TYPE_MODULE)
            add_module(m, &s);
        else if (s.data[0] == TYPE_ARRAY && s.len > 6)
            m->correction = s.data[6];
    }
    free(tables);
    return len > 0;
}

static bool is_first_of_channel(const struct memory *m, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (strcmp(m->modules[k].channel, m->modules[i].channel) == 0)
            return false;
    }
    return true;
}

/* Channels with at least one module. Where names tell no channels apart every module counts as one:
 * the claim may then be too high, never too low. */
static void add_channels(const struct memory *m, struct am_arena *arena, struct am_kvs *out)
{
    size_t channels = 0;
    double rate = 0;
    bool told;

    for (size_t i = 0; i < m->n; i++)
        channels += is_first_of_channel(m, i);
    told = channels > 1 || m->n == 1;
    channels = 0;
    for (size_t i = 0; i < m->n; i++) {
        if (told && !is_first_of_channel(m, i))
            continue;
        channels++;
        rate += m->modules[i].bytes_per_s;
    }
    if (channels == 0)
        return;
    am_kvs_addf(out, arena, "memory_channels", "%zu", channels);
    am_kvs_addf(out, arena, "memory_mts", "%u", m->modules[0].mts);
    am_kvs_addf(out, arena, "memory_bytes_per_s", "%.0f", rate);
}

/* ---- error correction ---- */

struct edac {
    const struct am_fsroot *root;
    const char *controller; /* "mc0" */
    char mode[AM_PROBE_CAP];
};

static bool take_mode(void *self, const char *name)
{
    static const char *const leaves[] = {"dimm_edac_mode", "edac_mode"};
    struct edac *const e = self;
    char path[512];

    for (size_t i = 0; i < 2 && !e->mode[0]; i++) {
        if (am_str_format(path, sizeof(path), "sys/devices/system/edac/mc/%s/%s/%s", e->controller,
                          name, leaves[i]) &&
            !am_probe_line(e->root, path, e->mode, sizeof(e->mode)))
            e->mode[0] = '\0';
    }
    return !e->mode[0];
}

static bool take_controller(void *self, const char *name)
{
    struct edac *const e = self;
    char path[512];

    e->controller = name;
    if (strncmp(name, "mc", 2) == 0 &&
        am_str_format(path, sizeof(path), "sys/devices/system/edac/mc/%s", name))
        (void)am_fsroot_list(e->root, path, take_mode, e);
    return !e->mode[0];
}

static void add_correction(const struct am_fsroot *root, unsigned array, struct am_arena *arena,
                           struct am_kvs *out)
{
    static const char *const by_firmware[] = {
        [3] = "none", [5] = "single-bit", [6] = "multi-bit", [7] = "CRC"};
    struct edac edac = {.root = root};
    const char *const stated =
        array < sizeof(by_firmware) / sizeof(by_firmware[0]) ? by_firmware[array] : NULL;

    (void)am_fsroot_list(root, "sys/devices/system/edac/mc", take_controller, &edac);
    if (edac.mode[0])
        am_kvs_add(out, arena, "ecc", edac.mode);
    else if (stated)
        am_kvs_add(out, arena, "ecc", stated);
}

/* ---- links of accelerators ---- */

struct link {
    const struct am_fsroot *root;
    double bytes_per_s, gts;
    uint64_t lanes;
};

/* Bytes per second of one lane: 8 of 10 bits are data up to 5 GT/s, 128 of 130 up to 32, then 242
 * of 256 bytes of a flit. */
static double lane_rate(double gts)
{
    return gts * 1e9 / 8 * (gts <= 5 ? 0.8 : gts <= 32 ? 128.0 / 130 : 242.0 / 256);
}

static bool read_below(const struct link *l, const char *device, const char *leaf, char *out,
                       size_t cap)
{
    char path[512];

    return am_str_format(path, sizeof(path), "sys/bus/pci/devices/%s/%s", device, leaf) &&
           am_probe_line(l->root, path, out, cap);
}

/* Display and processing controllers. Idle devices lower their speed, not their width. */
static bool take_device(void *self, const char *name)
{
    struct link *const l = self;
    char kind[AM_PROBE_CAP], speed[AM_PROBE_CAP], width[AM_PROBE_CAP];
    uint64_t lanes;
    double gts;

    if (!read_below(l, name, "class", kind, sizeof(kind)) ||
        (strncmp(kind, "0x03", 4) != 0 && strncmp(kind, "0x12", 4) != 0) ||
        !read_below(l, name, "max_link_speed", speed, sizeof(speed)) ||
        !read_below(l, name, "current_link_width", width, sizeof(width)) ||
        !am_parse_f64(speed, strcspn(speed, " "), &gts) ||
        !am_parse_u64(width, strlen(width), &lanes) || !(gts > 0 && gts < 1000) || lanes > 32)
        return true;
    if (lane_rate(gts) * (double)lanes > l->bytes_per_s) {
        l->bytes_per_s = lane_rate(gts) * (double)lanes;
        l->gts = gts;
        l->lanes = lanes;
    }
    return true;
}

static void add_link(const struct am_fsroot *root, struct am_arena *arena, struct am_kvs *out)
{
    struct link l = {.root = root};

    (void)am_fsroot_list(root, "sys/bus/pci/devices", take_device, &l);
    if (!(l.bytes_per_s > 0))
        return;
    am_kvs_addf(out, arena, "link", "%g GT/s x %u", l.gts, (unsigned)l.lanes);
    am_kvs_addf(out, arena, "link_bytes_per_s", "%.0f", l.bytes_per_s);
}

void am_claims_read(const struct am_fsroot *root, struct am_arena *arena, struct am_kvs *out)
{
    struct memory *const m = calloc(1, sizeof(*m));

    if (m && read_memory(root, m))
        add_channels(m, arena, out);
    add_correction(root, m ? m->correction : 0, arena, out);
    add_link(root, arena, out);
    free(m);
}
