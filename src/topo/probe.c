/* SPDX-License-Identifier: MIT */
/* Small readers of the kernel's text files below a root. */
#include "topo/probe.h"

#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

enum {
    FILE_CAP = 8192, /* one processor of /proc/cpuinfo, all of /proc/meminfo */
    PATH_CAP = 512,
};

bool am_probe_line(const struct am_fsroot *root, const char *path, char *buf, size_t cap)
{
    const ssize_t n = am_fsroot_read(root, path, buf, cap);

    if (n <= 0) {
        buf[0] = '\0';
        return false;
    }
    buf[strcspn(buf, "\n")] = '\0';
    return buf[0] != '\0';
}

bool am_probe_choice(const struct am_fsroot *root, const char *path, char *buf, size_t cap)
{
    char line[AM_PROBE_CAP];
    const char *open, *close;

    buf[0] = '\0';
    if (!am_probe_line(root, path, line, sizeof(line)))
        return false;
    open = strchr(line, '[');
    close = open ? strchr(open, ']') : NULL;
    if (!close)
        return am_str_copy(buf, cap, line);
    line[close - line] = '\0';
    return am_str_copy(buf, cap, open + 1);
}

/* Copies the text up to the line's end without blanks and quotes around it. */
static bool copy_value(const char *value, char *buf, size_t cap)
{
    size_t len;

    value += strspn(value, " \t\"");
    len = strcspn(value, "\n");
    while (len && strchr(" \t\"", value[len - 1]))
        len--;
    if (len >= cap)
        len = cap - 1;
    memcpy(buf, value, len);
    buf[len] = '\0';
    return len > 0;
}

bool am_probe_field(const char *text, const char *key, char *buf, size_t cap)
{
    const size_t len = strlen(key);

    buf[0] = '\0';
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        const char *rest;

        line += *line == '\n';
        if (strncmp(line, key, len) != 0)
            continue;
        rest = line + len;
        rest += strspn(rest, " \t");
        if (*rest == ':' || *rest == '=')
            return copy_value(rest + 1, buf, cap);
        if (rest > line + len) /* "nr_throttled 12" */
            return copy_value(rest, buf, cap);
    }
    return false;
}

bool am_probe_cpuinfo(const struct am_fsroot *root, const char *key, char *buf, size_t cap)
{
    char text[FILE_CAP];

    buf[0] = '\0';
    if (am_fsroot_read(root, "proc/cpuinfo", text, sizeof(text)) <= 0)
        return false;
    return am_probe_field(text, key, buf, cap);
}

/* This machine's own figures without /proc; what is available is at least what is free. */
static bool ask_kernel(const struct am_fsroot *root, const char *key, uint64_t *bytes)
{
    const bool total = strcmp(key, "MemTotal") == 0;
    struct sysinfo info;

    if (root->synthetic || (!total && strcmp(key, "MemAvailable") != 0) || sysinfo(&info) != 0)
        return false;
    *bytes = (uint64_t)(total ? info.totalram : info.freeram + info.bufferram) * info.mem_unit;
    return true;
}

bool am_probe_meminfo(const struct am_fsroot *root, const char *key, uint64_t *bytes)
{
    char text[FILE_CAP], value[AM_PROBE_CAP];
    const char *unit;
    uint64_t n;

    if (am_fsroot_read(root, "proc/meminfo", text, sizeof(text)) <= 0)
        return ask_kernel(root, key, bytes);
    if (!am_probe_field(text, key, value, sizeof(value)))
        return false;
    unit = value + strcspn(value, " ");
    if (!am_parse_u64(value, (size_t)(unit - value), &n))
        return false;
    *bytes = strcmp(unit, " kB") == 0 ? n * 1024 : n;
    return true;
}

/* One "a" or "a-b" of a list. */
static bool range_count(const char *s, size_t len, unsigned *count)
{
    const char *dash = memchr(s, '-', len);
    const size_t first = dash ? (size_t)(dash - s) : len;
    uint64_t a, b;

    if (!am_parse_u64(s, first, &a))
        return false;
    b = a;
    if (dash && !am_parse_u64(dash + 1, len - first - 1, &b))
        return false;
    if (b < a || b - a > 1u << 20)
        return false;
    *count += (unsigned)(b - a + 1);
    return true;
}

bool am_probe_cpulist(const char *list, unsigned *count)
{
    *count = 0;
    while (*list && *list != '\n') {
        const size_t len = strcspn(list, ",\n");

        if (!range_count(list, len, count))
            return false;
        list += len;
        list += *list == ',';
    }
    return true;
}

bool am_probe_ticks(const struct am_fsroot *root, struct am_probe_ticks *out)
{
    /* user nice system idle iowait irq softirq steal */
    enum { FIELDS = 8, IDLE = 3, IOWAIT = 4, STEAL = 7 };
    char line[AM_PROBE_CAP];
    const char *at;

    *out = (struct am_probe_ticks){0};
    if (!am_probe_line(root, "proc/stat", line, sizeof(line)) || strncmp(line, "cpu ", 4) != 0)
        return false;
    at = line + 4;
    for (int i = 0; i < FIELDS; i++) {
        size_t len;
        uint64_t ticks;

        at += strspn(at, " ");
        len = strcspn(at, " ");
        if (!am_parse_u64(at, len, &ticks))
            return false;
        out->total += ticks;
        if (i == STEAL)
            out->steal = ticks;
        else if (i != IDLE && i != IOWAIT)
            out->busy += ticks;
        at += len;
    }
    return true;
}

/* "0.50 0.12 0.04 1/89 10107" */
bool am_probe_load(const struct am_fsroot *root, double *load, uint64_t *others)
{
    char line[AM_PROBE_CAP];
    const char *slash, *field;

    if (!am_probe_line(root, "proc/loadavg", line, sizeof(line)) ||
        !am_parse_f64(line, strcspn(line, " "), load))
        return false;
    slash = strchr(line, '/');
    field = slash;
    while (field && field > line && field[-1] != ' ')
        field--;
    if (!field || !am_parse_u64(field, (size_t)(slash - field), others))
        return false;
    *others -= *others > 0; /* the process that reads the file is one of those it counts */
    return true;
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=0" */
bool am_probe_pressure(const struct am_fsroot *root, const char *path, double *percent,
                       uint64_t *total_us)
{
    char line[AM_PROBE_CAP];
    const char *average, *total;

    if (!am_probe_line(root, path, line, sizeof(line)))
        return false;
    average = strstr(line, "avg10=");
    total = strstr(line, "total=");
    if (percent && (!average || !am_parse_f64(average + 6, strcspn(average + 6, " "), percent)))
        return false;
    return !total_us || (total && am_parse_u64(total + 6, strcspn(total + 6, " "), total_us));
}

/* What is done with the first line of each file DIR/PREFIX<number>/LEAF. */
typedef void line_fn(void *self, const char *line);

struct line_walk {
    const struct am_fsroot *root;
    const char *dir, *prefix, *leaf;
    line_fn *fn;
    void *self;
};

static bool visit_entry(void *self, const char *name)
{
    const struct line_walk *w = self;
    const size_t len = strlen(w->prefix);
    char path[PATH_CAP], line[AM_TALLY_TEXT];

    if (strncmp(name, w->prefix, len) != 0 || !isdigit((unsigned char)name[len]))
        return true;
    if (am_str_format(path, sizeof(path), "%s/%s/%s", w->dir, name, w->leaf) &&
        am_probe_line(w->root, path, line, sizeof(line)))
        w->fn(w->self, line);
    return true;
}

static void count_value(void *self, const char *value)
{
    struct am_tally *t = self;
    unsigned i = 0;

    t->total++;
    while (i < t->n && strcmp(t->items[i].value, value) != 0)
        i++;
    if (i == AM_TALLY_MAX)
        return;
    if (i == t->n) {
        (void)am_str_copy(t->items[i].value, sizeof(t->items[i].value), value);
        t->n++;
    }
    t->items[i].n++;
}

void am_probe_tally(const struct am_fsroot *root, const char *dir, const char *prefix,
                    const char *leaf, struct am_tally *tally)
{
    *tally = (struct am_tally){0};

    struct line_walk w = {root, dir, prefix, leaf, count_value, tally};

    (void)am_fsroot_list(root, dir, visit_entry, &w);
}

static void gauge_value(void *self, const char *line)
{
    struct am_gauge *g = self;
    uint64_t v;

    if (!am_parse_u64(line, strlen(line), &v))
        return;
    g->files++;
    g->sum += v;
    if (v > g->max)
        g->max = v;
}

void am_probe_gauge(const struct am_fsroot *root, const char *dir, const char *prefix,
                    const char *leaf, struct am_gauge *gauge)
{
    *gauge = (struct am_gauge){0};

    struct line_walk w = {root, dir, prefix, leaf, gauge_value, gauge};

    (void)am_fsroot_list(root, dir, visit_entry, &w);
}

void am_tally_text(const struct am_tally *tally, char *buf, size_t cap)
{
    struct am_text t;

    am_text_init(&t, cap - 1);
    for (unsigned i = 0; i < tally->n; i++) {
        am_text_addf(&t, "%s%s", i ? ", " : "", tally->items[i].value);
        if (tally->n > 1)
            am_text_addf(&t, " (%u)", tally->items[i].n);
    }
    (void)am_str_copy(buf, cap, tally->n ? am_text_str(&t) : "unknown");
    am_text_fini(&t);
}

bool am_tally_only(const struct am_tally *tally, const char *value)
{
    return tally->n == 1 && strcmp(tally->items[0].value, value) == 0;
}

const char *am_probe_boost(const struct am_fsroot *root)
{
    uint64_t v;

    if (am_fsroot_read_u64(root, "sys/devices/system/cpu/intel_pstate/no_turbo", &v))
        return v ? "off" : "on";
    if (am_fsroot_read_u64(root, "sys/devices/system/cpu/cpufreq/boost", &v))
        return v ? "on" : "off";
    return "unknown";
}
