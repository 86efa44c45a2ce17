/* SPDX-License-Identifier: MIT */
/* What loading, resuming and exporting read alike: the run's row and the benches. */
#include "store/read.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

static const char *base_name(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void get_settings(struct am_db_rows *rows, int col, struct am_plan_settings *out)
{
    const char *profiles[AM_PROFILE_COUNT];

    for (int i = 0; i < AM_PROFILE_COUNT; i++)
        profiles[i] = am_profile_name((enum am_profile)i);
    *out = (struct am_plan_settings){
        .profile = (enum am_profile)am_db_get_word(rows, col, profiles, AM_PROFILE_COUNT),
        .seed = am_db_get_u64_text(rows, col + 1),
        .min_launches = am_db_get_unsigned(rows, col + 2),
        .max_launches = am_db_get_unsigned(rows, col + 3),
        .target = am_db_get_real(rows, col + 4, NAN),
        .budget_s = am_db_get_real(rows, col + 5, NAN),
        .launch_limit_s = am_db_get_real(rows, col + 6, NAN),
        .sampler =
            {
                .min_batch_ns = am_db_get_u64(rows, col + 7),
                .max_point_ns = am_db_get_u64(rows, col + 8),
                .warmup = am_db_get_unsigned(rows, col + 9),
                .samples = am_db_get_unsigned(rows, col + 10),
                .extra = am_db_get_unsigned(rows, col + 11),
                .drift_limit = am_db_get_real(rows, col + 12, NAN),
            },
    };
    /* resume asks its workers for as many, and keeps them in memory. */
    if (out->sampler.samples > AM_SAMPLES_MAX || out->sampler.extra > AM_SAMPLES_MAX)
        (void)am_db_rows_damaged(rows, "no run has so many samples per launch");
}

enum am_status am_read_run(struct am_store *store, struct am_arena *arena, struct am_run_info *out,
                           struct am_err *err)
{
    struct am_db_rows rows = {.store = store, .arena = arena, .err = err};

    am_db_rows_open(&rows, "SELECT command, version, started, ended, state, label, synthetic,"
                           " (SELECT total((ended_ns - started_ns) / 1e9) FROM launch),"
                           " profile, seed, min_launches, max_launches, target, budget_s,"
                           " launch_limit_s, min_batch_ns, max_point_ns, warmup, samples, extra,"
                           " drift_limit FROM run");
    if (am_db_rows_next(&rows)) {
        *out = (struct am_run_info){
            .name = am_arena_strdup(arena, base_name(store->path)),
            .command = am_db_get_text(&rows, 0),
            .version = am_db_get_text(&rows, 1),
            .started = am_db_get_text(&rows, 2),
            .ended = am_db_get_text_or_null(&rows, 3),
            .state = (enum am_run_state)am_db_get_word(&rows, 4, am_run_states, AM_RUN_STATES),
            .label = am_db_get_text_or_null(&rows, 5),
            .synthetic = am_db_get_int(&rows, 6) != 0,
            .launched_s = am_db_get_real(&rows, 7, 0),
        };
        get_settings(&rows, 8, &out->settings);
        if (!out->name)
            out->name = "";
    } else {
        (void)am_db_rows_damaged(&rows, "it holds no run");
    }
    return am_db_rows_close(&rows);
}

static enum am_status read_axes(struct am_db_rows *rows, struct am_read_bench *bench)
{
    am_db_rows_bind(rows, 1, bench->id);
    while (am_db_rows_next(rows)) {
        if (bench->n_axes == AM_AXES_MAX)
            return am_db_rows_damaged(rows, "a bench has too many axes");
        bench->axis_ids[bench->n_axes] = am_db_get_int(rows, 0);
        bench->axes[bench->n_axes++] = (struct am_result_param){
            .name = am_db_get_text(rows, 1),
            .kind = (enum am_axis_kind)am_db_get_word(rows, 2, am_db_axis_kinds, 4),
        };
    }
    return rows->status;
}

/* Behind the rule's own word, which only people read. Words of a later version are passed over. */
static struct am_systematic get_systematic(struct am_db_rows *rows, int col)
{
    const char *const text = am_db_get_text(rows, col);
    const char *const words = strchr(text, ' ');
    struct am_systematic out = {0};

    if (words && !am_systematic_parse(words + 1, rows->arena, &out))
        out = (struct am_systematic){0};
    return out;
}

static enum am_status read_metrics(struct am_db_rows *rows, struct am_read_bench *bench)
{
    am_db_rows_bind(rows, 1, bench->id);
    while (am_db_rows_next(rows)) {
        if (bench->n_metrics == AM_METRICS_MAX)
            return am_db_rows_damaged(rows, "a bench has too many metrics");
        bench->metric_ids[bench->n_metrics] = am_db_get_int(rows, 0);
        bench->metrics[bench->n_metrics++] = (struct am_result_metric){
            .name = am_db_get_text(rows, 1),
            .unit = am_db_get_text(rows, 2),
            .better = (enum am_better)am_db_get_word(rows, 3, am_db_betters, 2),
            .systematic = get_systematic(rows, 4),
        };
    }
    return rows->status;
}

static enum am_status read_list(struct am_db_rows *rows, const char *pattern,
                                struct am_read_benches *out)
{
    size_t cap = 0;

    am_db_rows_open(rows, "SELECT id, name, worker, version FROM bench ORDER BY id");
    while (am_db_rows_next(rows)) {
        struct am_read_bench *const items =
            am_db_rows_room(rows, out->items, out->n, &cap, sizeof(*items));

        if (!items)
            break;
        out->items = items;
        items[out->n] = (struct am_read_bench){
            .id = am_db_get_int(rows, 0),
            .name = am_db_get_text(rows, 1),
            .worker = am_db_get_text(rows, 2),
            .version = am_db_get_unsigned(rows, 3),
        };
        items[out->n].selected = !pattern || am_glob_match(pattern, items[out->n].name);
        out->n++;
    }
    return am_db_rows_close(rows);
}

enum am_status am_read_benches(struct am_store *store, const char *pattern, struct am_arena *arena,
                               struct am_read_benches *out, struct am_err *err)
{
    struct am_db_rows rows = {.store = store, .arena = arena, .err = err};
    enum am_status s;

    *out = (struct am_read_benches){.n = 0};
    s = read_list(&rows, pattern, out);
    if (s != AM_OK)
        return s;
    am_db_rows_open(&rows, "SELECT id, name, kind FROM axis WHERE bench = ? ORDER BY id");
    for (size_t i = 0; s == AM_OK && i < out->n; i++)
        s = read_axes(&rows, &out->items[i]);
    s = am_db_rows_close(&rows);
    if (s != AM_OK)
        return s;
    am_db_rows_open(&rows,
                    "SELECT id, name, unit, better, rule FROM metric WHERE bench = ? ORDER BY id");
    for (size_t i = 0; s == AM_OK && i < out->n; i++)
        s = read_metrics(&rows, &out->items[i]);
    return am_db_rows_close(&rows);
}

const struct am_read_bench *am_read_bench_of(const struct am_read_benches *benches,
                                             struct am_db_rows *rows, int col)
{
    const int64_t id = am_db_get_int(rows, col);

    /* Written as 1, 2, ...: the first look finds it in a file that is whole. */
    if (id >= 1 && (uint64_t)id <= benches->n && benches->items[id - 1].id == id)
        return &benches->items[id - 1];
    (void)am_db_rows_damaged(rows, "a point belongs to no bench");
    return NULL;
}

size_t am_read_index(struct am_db_rows *rows, int col, const int64_t *ids, size_t n)
{
    const int64_t id = am_db_get_int(rows, col);

    for (size_t i = 0; i < n; i++) {
        if (ids[i] == id)
            return i;
    }
    (void)am_db_rows_damaged(rows, "a value belongs to no axis or metric of its bench");
    return n;
}

enum am_stop_reason am_read_stop_reason(struct am_db_rows *rows, int col)
{
    if (am_db_is_null(rows, col))
        return AM_STOP_OPEN;
    return (enum am_stop_reason)(
        1 + am_db_get_word(rows, col, am_stop_reasons + 1, AM_STOP_REASONS - 1));
}

enum am_failure_kind am_read_failure_kind(struct am_db_rows *rows, int col)
{
    return (enum am_failure_kind)(
        1 + am_db_get_word(rows, col, am_failure_kinds + 1, AM_FAILURE_KINDS - 1));
}

/* The mean of the undisturbed batches, or the shortest where all were disturbed. */
double am_read_batch_ns(const struct am_read_value *rows, size_t n_rows)
{
    double sum = 0, least = NAN;
    size_t n = 0;

    for (size_t i = 0; i < n_rows; i++) {
        const struct am_read_value *const row = &rows[i];

        if (i > 0 && row->visit == row[-1].visit && row->seq == row[-1].seq)
            continue;
        least = fmin((double)row->elapsed_ns, least); /* fmin passes over NAN */
        if (row->labels == 0) {
            sum += (double)row->elapsed_ns;
            n++;
        }
    }
    return n ? sum / (double)n : isnan(least) ? 0 : least;
}

double am_read_clock(const struct am_read_value *rows, size_t n_rows)
{
    double hz = 0;

    for (size_t i = 0; i < n_rows; i++)
        hz = fmax(hz, fmax(rows[i].hz_before, rows[i].hz_after));
    return hz;
}
