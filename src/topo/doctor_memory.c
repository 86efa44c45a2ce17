/* SPDX-License-Identifier: MIT */
/* doctor: memory. */
#include "topo/doctor_check.h"

#include "base/text.h"
#include "topo/probe.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* Shares of all memory. */
static const double free_least = 0.25, swapped_most = 0.01, node_free_least = 0.05;
static const double gib = 1024.0 * 1024 * 1024;

enum am_level am_check_memory_thp(struct am_exam *e)
{
    char mode[AM_PROBE_CAP];

    if (!am_probe_choice(e->root, "sys/kernel/mm/transparent_hugepage/enabled", mode, sizeof(mode)))
        return am_exam_absent(e);
    return am_exam_say(e, am_exam_warn_if(strcmp(mode, "always") == 0), "%s", mode);
}

enum am_level am_check_memory_hugepages(struct am_exam *e)
{
    uint64_t pages, page_bytes = 0;

    if (!am_probe_meminfo(e->root, "HugePages_Total", &pages))
        return am_exam_absent(e);
    (void)am_probe_meminfo(e->root, "Hugepagesize", &page_bytes);
    return am_exam_say(e, AM_LEVEL_OK, "%" PRIu64 " reserved of %" PRIu64 " KiB", pages,
                       page_bytes / 1024);
}

/* With one node there is nothing to balance. */
enum am_level am_check_memory_numa_balancing(struct am_exam *e)
{
    uint64_t on;

    if (!am_fsroot_read_u64(e->root, "proc/sys/kernel/numa_balancing", &on))
        return am_exam_absent(e);
    return am_exam_say(e, am_exam_warn_if(on && e->shape && e->shape->numa_nodes > 1), "%s",
                       on ? "on" : "off");
}

enum am_level am_check_memory_swap(struct am_exam *e)
{
    uint64_t total, left, memory;

    if (!am_probe_meminfo(e->root, "SwapTotal", &total) ||
        !am_probe_meminfo(e->root, "SwapFree", &left) ||
        !am_probe_meminfo(e->root, "MemTotal", &memory) || left > total)
        return am_exam_absent(e);
    if (total == 0)
        return am_exam_say(e, AM_LEVEL_OK, "no swap");
    return am_exam_say(e, am_exam_warn_if((double)(total - left) > swapped_most * (double)memory),
                       "%.2f GiB of %.2f GiB in use", (double)(total - left) / gib,
                       (double)total / gib);
}

enum am_level am_check_memory_free(struct am_exam *e)
{
    uint64_t total, available;

    if (!am_probe_meminfo(e->root, "MemTotal", &total) ||
        !am_probe_meminfo(e->root, "MemAvailable", &available) || total == 0)
        return am_exam_absent(e);
    return am_exam_say(e, am_exam_warn_if((double)available < free_least * (double)total),
                       "%.1f GiB of %.1f GiB available", (double)available / gib,
                       (double)total / gib);
}

struct node_walk {
    const struct am_fsroot *root;
    unsigned nodes;
    double least; /* free share of the fullest node */
    char fullest[32];
};

/* "Node 0 MemTotal:  4548828 kB": the name is the key's first two words. */
static bool node_field(const char *text, const char *name, const char *key, double *kib)
{
    char full[AM_PROBE_CAP], value[AM_PROBE_CAP];

    return am_str_format(full, sizeof(full), "Node %s %s", name + strlen("node"), key) &&
           am_probe_field(text, full, value, sizeof(value)) &&
           am_parse_f64(value, strcspn(value, " "), kib);
}

static bool node_entry(void *self, const char *name)
{
    struct node_walk *w = self;
    char path[AM_PROBE_CAP], text[4096];
    double total, unused;

    if (strncmp(name, "node", 4) != 0 || !isdigit((unsigned char)name[4]))
        return true;
    if (!am_str_format(path, sizeof(path), "sys/devices/system/node/%s/meminfo", name) ||
        am_fsroot_read(w->root, path, text, sizeof(text)) <= 0 ||
        !node_field(text, name, "MemTotal", &total) ||
        !node_field(text, name, "MemFree", &unused) || total <= 0)
        return true;
    if (w->nodes++ == 0 || unused / total < w->least) {
        w->least = unused / total;
        (void)am_str_copy(w->fullest, sizeof(w->fullest), name);
    }
    return true;
}

/* A node full of page cache sends new pages to another node: only then, with several nodes. */
enum am_level am_check_memory_nodes(struct am_exam *e)
{
    struct node_walk w = {.root = e->root};

    if (!am_fsroot_list(e->root, "sys/devices/system/node", node_entry, &w) || w.nodes == 0)
        return am_exam_absent(e);
    return am_exam_say(e, am_exam_warn_if(w.nodes > 1 && w.least < node_free_least),
                       "fullest is %s: %.0f %% free", w.fullest, 100 * w.least);
}

enum am_level am_check_memory_zone_reclaim(struct am_exam *e)
{
    uint64_t mode;

    if (!am_fsroot_read_u64(e->root, "proc/sys/vm/zone_reclaim_mode", &mode))
        return am_exam_absent(e);
    return am_exam_say(e, am_exam_warn_if(mode != 0), "%" PRIu64, mode);
}
