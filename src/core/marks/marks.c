/* SPDX-License-Identifier: MIT */
/* From the files of a marked program's threads to regions: every node of every file becomes an
 * entry; entries of one name become one region. */
#include "core/marks/marks.h"

#include "base/array.h"
#include "base/clock.h"

#define ARCHMETER_MARK_LAYOUT
#include <archmeter/mark.h>

#include <assert.h>
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <sys/stat.h>

enum { FILES_MAX = 100000, ENTRIES_MAX = 10000000 };

const char am_marks_program[] = "(program)";

static_assert((int)AM_MARKS_EVENTS_MAX == (int)AM_MARK_EVENTS_MAX, "as the header has it");

static const double one_piece = 0.95; /* of the time between its first begin and its last end */

/* A region as one file has it. */
struct entry {
    const char *name;
    const char *within; /* the region around it; "": none, NULL: several */
    size_t file;
    double seconds, self, longest;
    uint64_t calls, closed, abandoned, unended;
    double flops, bytes_read, bytes_written;
    bool counted;
    double counts[AM_MARKS_EVENTS_MAX];
    double begin_ns, end_ns; /* by base/clock.h, from the opening of the folder on */
};

struct reading {
    struct am_arena *arena;
    struct am_marks *out;
    struct entry *entries;
    size_t n, cap;
    int64_t *pids, *ranks; /* of the files, in turn */
    size_t n_pids, cap_pids, n_ranks, cap_ranks;
    const struct am_marks_folder *folder;
    double tick_s;              /* seconds per tick of the processor's counter */
    double tick_raw, ns_raw;    /* ns of base/clock.h per tick, and per ns of the other clock */
    double span_raw;            /* that the folder has been open */
    struct am_mark_file_ *file; /* at hand; only the first n_nodes are there */
};

/* ---- names ---- */

/* What goes into an experiment's line: bytes beyond printable ASCII, and blanks at the ends, are
 * shown as '_'. */
static void clean(char *name)
{
    const size_t n = strlen(name);

    for (size_t i = 0; i < n; i++) {
        if (name[i] < ' ' || name[i] > '~' || (name[i] == ' ' && (i == 0 || i + 1 == n)))
            name[i] = '_';
    }
}

/* ---- one file ---- */

static bool is_file(const struct am_mark_file_ *f, size_t bytes)
{
    return bytes >= am_mark_length_(AM_MARK_FIRST) &&
           memcmp(f->magic, AM_MARK_MAGIC, sizeof(AM_MARK_MAGIC)) == 0 &&
           f->version == AM_MARK_VERSION && f->node_size == sizeof(struct am_mark_node_) &&
           f->frame_size == sizeof(struct am_mark_frame_) && f->n_nodes >= AM_MARK_FIRST &&
           f->n_nodes <= AM_MARK_NODES_MAX && bytes >= am_mark_length_(f->n_nodes) &&
           f->depth <= AM_MARK_FRAMES_MAX;
}

static double sound(double x)
{
    return x > 0 && x < 1e300 ? x : 0;
}

static const char *within(const struct reading *r, const struct am_mark_node_ *n)
{
    if (n->several || n->outer >= r->file->n_nodes)
        return NULL;
    return n->outer == AM_MARK_OUTSIDE ? ""
                                       : am_arena_strdup(r->arena, r->file->nodes[n->outer].name);
}

/* ns of base/clock.h since the folder was opened; a time that cannot be is one of its ends. */
static double moment(const struct reading *r, uint64_t at)
{
    const uint64_t begin = r->file->ticks ? r->folder->begin_ticks : r->folder->begin_ns;
    const double since = at > begin ? (double)(at - begin) : 0;
    const double ns = since * (r->file->ticks ? r->tick_raw : r->ns_raw);

    return ns < r->span_raw ? ns : r->span_raw;
}

/* Counts of events that shared counters are extrapolated by nobody. */
static bool counts(const struct reading *r)
{
    return r->file->events && r->file->running_ns == r->file->enabled_ns;
}

static void add_counts(const struct reading *r, const struct am_mark_node_ *n, struct entry *e)
{
    e->counted = counts(r);
    for (size_t i = 0; e->counted && i < AM_MARKS_EVENTS_MAX; i++)
        e->counts[i] = (double)n->counts[i];
    e->begin_ns = moment(r, n->first_begin);
    e->end_ns = moment(r, n->last_end);
}

static bool add_node(struct reading *r, size_t file, size_t node)
{
    const struct am_mark_node_ *const n = &r->file->nodes[node];
    const double unit = r->file->ticks ? r->tick_s : 1e-9;
    struct entry *e;

    if (node == AM_MARK_OTHERS && !n->calls && !n->open)
        return true;
    if (r->n == ENTRIES_MAX)
        return false;
    e = AM_ARRAY_ADD(r->arena, r->entries, r->n, r->cap);
    if (!e)
        return false;
    *e = (struct entry){
        .name = am_arena_strdup(r->arena, n->name),
        .within = within(r, n),
        .file = file,
        .seconds = (double)n->ticks * unit,
        .self = (double)n->self_ticks * unit,
        .longest = (double)n->longest * unit,
        .calls = n->calls,
        .closed = n->closed,
        .abandoned = n->abandoned,
        .flops = sound(n->flops),
        .bytes_read = sound(n->bytes_read),
        .bytes_written = sound(n->bytes_written),
    };
    add_counts(r, n, e);
    for (uint32_t i = 0; i < r->file->depth; i++)
        e->unended += r->file->frames[i].node == node;
    return e->name;
}

static bool add_number(struct am_arena *arena, int64_t **items, size_t *n, size_t *cap,
                       int64_t number)
{
    int64_t *added;

    for (size_t i = 0; i < *n; i++) {
        if ((*items)[i] == number)
            return true;
    }
    added = AM_ARRAY_ADD(arena, *items, *n, *cap);
    if (added)
        *added = number;
    return added;
}

static bool add_file(struct reading *r)
{
    struct am_mark_file_ *const f = r->file;
    struct am_marks *const out = r->out;
    bool good = add_number(r->arena, &r->pids, &r->n_pids, &r->cap_pids, f->pid);

    if (good && f->rank >= 0)
        good = add_number(r->arena, &r->ranks, &r->n_ranks, &r->cap_ranks, f->rank);
    for (size_t i = AM_MARK_OTHERS; i < f->n_nodes; i++) {
        f->nodes[i].name[sizeof(f->nodes[i].name) - 1] = '\0';
        clean(f->nodes[i].name);
    }
    for (size_t i = AM_MARK_OTHERS; good && i < f->n_nodes; i++)
        good = add_node(r, out->files, i);
    f->first_unopened[sizeof(f->first_unopened) - 1] = '\0';
    clean(f->first_unopened);
    if (good && f->unopened && !out->first_unopened)
        out->first_unopened = am_arena_strdup(r->arena, f->first_unopened);
    if (f->events_error && !out->events_error)
        out->events_error = f->events_error;
    out->events_squeezed |= f->events && !counts(r);
    out->unopened += f->unopened;
    out->lost += f->lost;
    out->files++;
    return good;
}

/* False without memory. */
static bool read_file(struct reading *r, int folder, const char *name)
{
    const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const size_t most = sizeof(*r->file);
    size_t got = 0;
    struct stat st;
    ssize_t n = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? 1 : 0;

    while (n > 0 && got < most) {
        n = pread(fd, (char *)r->file + got, most - got, (off_t)got);
        got += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        (void)close(fd);
    if (is_file(r->file, got))
        return add_file(r);
    r->out->refused++;
    return true;
}

static enum am_status read_folder(struct reading *r, const char *path, struct am_err *err)
{
    DIR *const dir = opendir(path);
    const struct dirent *entry;
    bool good = true;

    if (!dir)
        return am_fail(err, AM_E_SYS, "%s: the program's marks cannot be read", path);
    while (good && (entry = readdir(dir)) && r->out->files < FILES_MAX) {
        if (*entry->d_name != '.')
            good = read_file(r, dirfd(dir), entry->d_name);
    }
    (void)closedir(dir);
    return good ? AM_OK : am_fail(err, AM_E_NOMEM, "no memory for the program's marks");
}

/* ---- all files ---- */

static int by_name(const void *x, const void *y)
{
    const struct entry *const a = x, *const b = y;
    const int order = strcmp(a->name, b->name);

    return order ? order : (a->file > b->file) - (a->file < b->file);
}

static int by_time(const void *x, const void *y)
{
    const struct am_marks_region *const a = x, *const b = y;

    if (a->total_s < b->total_s || a->total_s > b->total_s)
        return a->total_s < b->total_s ? 1 : -1;
    return strcmp(a->name, b->name);
}

static bool same_region(const struct entry *a, const struct entry *b)
{
    return strcmp(a->name, b->name) == 0;
}

/* The entries of one thread, which are several where names differ in bytes that are not shown. */
static void add_thread(struct am_marks_region *region, const struct entry *e, size_t n)
{
    double seconds = 0, self = 0;
    uint64_t calls = 0;

    for (size_t i = 0; i < n; i++) {
        seconds += e[i].seconds;
        self += e[i].self;
        calls += e[i].calls;
        region->longest_s = e[i].longest > region->longest_s ? e[i].longest : region->longest_s;
        region->closed += e[i].closed;
        region->abandoned += e[i].abandoned;
        region->unended += e[i].unended;
        region->flops += e[i].flops;
        region->bytes_read += e[i].bytes_read;
        region->bytes_written += e[i].bytes_written;
        for (size_t k = 0; k < AM_MARKS_EVENTS_MAX; k++)
            region->counts[k] += e[i].counts[k];
        region->counted = region->counted && (e[i].counted || e[i].calls == 0);
    }
    if (seconds >= region->time_s) {
        region->time_s = seconds;
        region->self_s = self;
    }
    region->total_s += seconds;
    region->total_self_s += self;
    region->calls += calls;
    region->threads += calls > 0;
}

/* What both are within; NULL: they differ. */
static const char *common(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0 ? a : NULL;
}

/* When the region was, if it was there in one piece. */
static void set_window(const struct reading *r, const struct entry *e, size_t n,
                       struct am_marks_region *region)
{
    double begin = INFINITY, end = 0;

    for (size_t i = 0; i < n; i++) {
        if (e[i].calls && e[i].begin_ns < begin)
            begin = e[i].begin_ns;
        if (e[i].calls && e[i].end_ns > end)
            end = e[i].end_ns;
    }
    if (end > begin && region->time_s * 1e9 >= one_piece * (end - begin)) {
        region->begin_ns = r->folder->begin_raw_ns + (uint64_t)begin;
        region->end_ns = r->folder->begin_raw_ns + (uint64_t)end;
    }
}

static bool add_regions(struct reading *r)
{
    struct am_marks *const out = r->out;
    size_t cap = 0;

    if (r->n)
        qsort(r->entries, r->n, sizeof(*r->entries), by_name);
    for (size_t i = 0; i < r->n;) {
        struct am_marks_region *const region = AM_ARRAY_ADD(r->arena, out->items, out->n, cap);
        const struct entry *const first = &r->entries[i];

        if (!region)
            return false;
        region->name = first->name;
        region->within = first->within;
        region->counted = true;
        while (i < r->n && same_region(first, &r->entries[i])) {
            size_t n = 1;

            while (i + n < r->n && by_name(&r->entries[i], &r->entries[i + n]) == 0)
                n++;
            for (size_t k = i; k < i + n; k++)
                region->within = common(region->within, r->entries[k].within);
            add_thread(region, &r->entries[i], n);
            i += n;
        }
        region->counted = region->counted && region->calls;
        set_window(r, first, (size_t)(&r->entries[i] - first), region);
        out->self_s += region->total_self_s;
    }
    if (out->n)
        qsort(out->items, out->n, sizeof(*out->items), by_time);
    return true;
}

enum am_status am_marks_collect(const struct am_marks_folder *folder, struct am_arena *arena,
                                struct am_marks *out, struct am_err *err)
{
    const uint64_t ticks = am_mark_ticks_(), ns = am_mark_ns_(), raw = am_now_ns();
    struct reading r = {.arena = arena,
                        .out = out,
                        .folder = folder,
                        .span_raw = (double)(raw - folder->begin_raw_ns)};
    enum am_status s;

    *out = (struct am_marks){0};
    if (ticks > folder->begin_ticks)
        r.tick_s = (double)(ns - folder->begin_ns) * 1e-9 / (double)(ticks - folder->begin_ticks);
    if (ticks > folder->begin_ticks)
        r.tick_raw = r.span_raw / (double)(ticks - folder->begin_ticks);
    if (ns > folder->begin_ns)
        r.ns_raw = r.span_raw / (double)(ns - folder->begin_ns);
    r.file = malloc(sizeof(*r.file));
    if (!r.file)
        return am_fail(err, AM_E_NOMEM, "no memory for the program's marks");
    s = read_folder(&r, folder->path, err);
    free(r.file);
    if (s == AM_OK && !add_regions(&r))
        s = am_fail(err, AM_E_NOMEM, "no memory for the program's regions");
    out->processes = r.n_pids;
    out->ranks = r.n_ranks;
    out->threads = out->files;
    return s;
}

const struct am_marks_region *am_marks_find(const struct am_marks *marks, const char *name)
{
    for (size_t i = 0; i < marks->n; i++) {
        if (strcmp(marks->items[i].name, name) == 0)
            return &marks->items[i];
    }
    return NULL;
}

/* ---- what was not as it should be ---- */

static void tell(struct am_text *out, uint64_t n, const char *what, const char *where)
{
    if (n)
        am_text_addf(out, "%s%" PRIu64 " %s%s%s%s", out->len ? "; " : "", n, what,
                     where ? " (first: " : "", where ? where : "", where ? ")" : "");
}

/* The sum over all regions of one of their counts, and the first region that has any. */
static void tell_sum(const struct am_marks *marks, size_t offset, const char *what,
                     struct am_text *out)
{
    const char *first = NULL;
    uint64_t sum = 0;

    for (size_t i = 0; i < marks->n; i++) {
        uint64_t n;

        memcpy(&n, (const char *)&marks->items[i] + offset, sizeof(n));
        if (n && !first)
            first = marks->items[i].name;
        sum += n;
    }
    tell(out, sum, what, first);
}

void am_marks_trouble(const struct am_marks *marks, struct am_text *out)
{
    tell(out, marks->unopened, "ends without a begin", marks->first_unopened);
    tell_sum(marks, offsetof(struct am_marks_region, closed),
             "calls ended by the end of an outer region", out);
    tell_sum(marks, offsetof(struct am_marks_region, abandoned),
             "calls ended by the end of their thread or of the program", out);
    tell_sum(marks, offsetof(struct am_marks_region, unended), "calls that never ended", out);
    tell(out, marks->lost, "begins nested too deeply, not counted", NULL);
    if (marks->events_error)
        am_text_addf(out, "%sa thread could not count events: %s", out->len ? "; " : "",
                     strerror(marks->events_error));
    if (marks->events_squeezed)
        am_text_addf(out, "%sfewer counters than events: not counted, ask for fewer",
                     out->len ? "; " : "");
    tell(out, marks->refused, "files of another version of archmeter/mark.h, not counted", NULL);
}
