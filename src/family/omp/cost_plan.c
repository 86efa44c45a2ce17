/* SPDX-License-Identifier: MIT */
/* Which overheads a program's directives ask for, as tests of an experiment. */
#include "bench/omp/count/count.h"
#include "family/omp/cost.h"

#include <string.h>

enum { TEAMS_MAX = 16, GAPS_MAX = 16 };

/* Regions of a batch: what a program pays is their mean, for which few are too few; after long gaps
 * many would take too long. */
enum { NEAR_REGIONS = 200, FAR_REGIONS = 25 };
static const double near_gap_us = 100;

/* What was counted, without its places. */
struct found {
    double teams[TEAMS_MAX], gaps[GAPS_MAX];
    size_t n_teams, n_gaps;
    bool kmp, barriers, singles, criticals, locks, ordered, chunks, tasks;
};

static void note(double value, double *values, size_t *n, size_t cap)
{
    for (size_t i = 0; i < *n; i++) {
        if (!(values[i] < value || values[i] > value))
            return;
    }
    if (*n < cap)
        values[(*n)++] = value;
}

static void note_one(const struct am_omp_spent *s, struct found *f)
{
    const struct {
        const char *word;
        bool *there;
    } kinds[] = {
        {"barrier", &f->barriers}, {"single", &f->singles},  {"critical", &f->criticals},
        {"lock", &f->locks},       {"ordered", &f->ordered}, {"chunk", &f->chunks},
        {"task", &f->tasks},
    };

    f->kmp |= strcmp(s->family, "kmp") == 0;
    if (s->threads >= 1)
        note(s->threads, f->teams, &f->n_teams, TEAMS_MAX);
    if (strcmp(s->construct, "region") == 0 && s->gap_us >= 0)
        note(s->gap_us, f->gaps, &f->n_gaps, GAPS_MAX);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        *kinds[i].there |= strcmp(s->construct, kinds[i].word) == 0;
}

static struct found find(const struct am_marks *marks)
{
    struct am_arena arena = {0};
    struct found f = {0};

    for (size_t i = 0; i < marks->n; i++) {
        struct am_omp_spent s;

        if (am_omp_cost_parse(marks->items[i].name, &arena, &s))
            note_one(&s, &f);
    }
    am_arena_fini(&arena);
    return f;
}

bool am_omp_cost_counted(const struct am_marks *marks)
{
    const struct found f = find(marks);

    return f.n_teams > 0;
}

bool am_omp_cost_tries(const struct am_marks *marks, const struct am_omp_cost_wish *wish)
{
    const struct found f = find(marks);
    bool serial = false;

    for (size_t i = 0; i < f.n_gaps; i++)
        serial |= f.gaps[i] > 0;
    return serial && !wish->waits;
}

bool am_omp_cost_neighbours(const struct am_marks *marks, struct am_arena *arena,
                            struct am_strings *out)
{
    static const int gaps[] = AM_OMPCOUNT_GAPS;

    for (size_t i = 0; i < marks->n; i++) {
        struct am_omp_spent s;

        if (!am_omp_cost_parse(marks->items[i].name, arena, &s) ||
            strcmp(s.construct, "region") != 0 || s.gap_us < 0)
            continue;
        for (size_t k = 0; k < sizeof(gaps) / sizeof(*gaps); k++) {
            const char *const name = am_arena_printf(arena, "%s:region:%.0f:%d:%s", s.family,
                                                     s.threads, gaps[k], s.place);

            if (!name)
                return false;
            if (am_marks_find(marks, name) || am_strings_have(out, name) ||
                strlen(name) >= AM_OMPCOUNT_NAME)
                continue;
            if (!am_strings_add(out, arena, name))
                return false;
        }
    }
    return true;
}

static void add_numbers(const char *axis, const double *values, size_t n, struct am_text *text)
{
    am_text_addf(text, "axis %s", axis);
    for (size_t i = 0; i < n; i++)
        am_text_addf(text, "%s%.0f", i ? "," : " ", values[i]);
    am_text_add(text, "\n");
}

static void begin(const char *bench, const struct found *f, const struct am_omp_cost_wish *wish,
                  struct am_text *text)
{
    am_text_addf(text, "test %s\naxis runtime %s\n", bench,
                 wish->runtime ? wish->runtime
                 : f->kmp      ? "libomp"
                               : "libgomp");
    add_numbers("threads", f->teams, f->n_teams, text);
}

/* Unbound as the program's threads are, unless the user binds them. */
static void add_binding(const struct am_omp_cost_wish *wish, struct am_text *text)
{
    am_text_addf(text, "axis binding %s\nrun\n", wish->binds ? "close" : "none");
}

/* Regions at once are measured whatever was counted: joining regions is held against them. */
static void plan_regions(const struct found *f, const struct am_omp_cost_wish *wish, bool tries,
                         struct am_text *text)
{
    struct found with_none = *f;

    note(0, with_none.gaps, &with_none.n_gaps, GAPS_MAX);
    begin("omp.region", f, wish, text);
    am_text_addf(text, "axis wait auto%s\n", tries ? ",active" : "");
    for (int far = 0; far < 2; far++) {
        double gaps[GAPS_MAX];
        size_t n = 0;

        for (size_t i = 0; i < with_none.n_gaps; i++) {
            if ((with_none.gaps[i] > near_gap_us) == far)
                gaps[n++] = with_none.gaps[i];
        }
        if (!n)
            continue;
        add_numbers("gap", gaps, n, text);
        am_text_addf(text, "axis regions %d\nrun\n", far ? FAR_REGIONS : NEAR_REGIONS);
    }
}

/* The first region of a process makes its team. */
static void plan_first(const struct found *f, const struct am_omp_cost_wish *wish,
                       struct am_text *text)
{
    begin("omp.start", f, wish, text);
    am_text_add(text, "axis event parallel\n");
    add_binding(wish, text);
}

static void plan_sync(const struct found *f, const struct am_omp_cost_wish *wish,
                      struct am_text *text)
{
    begin("omp.sync", f, wish, text);
    am_text_addf(text, "axis construct barrier%s%s%s\n", f->singles ? ",single" : "",
                 f->criticals || f->locks ? ",lock_uncontended" : "", f->ordered ? ",ordered" : "");
    add_binding(wish, text);
}

void am_omp_cost_plan(const struct am_marks *marks, const struct am_omp_cost_wish *wish,
                      struct am_text *text)
{
    const struct found f = find(marks);

    if (wish->priced || !f.n_teams)
        return;
    plan_regions(&f, wish, am_omp_cost_tries(marks, wish), text);
    plan_first(&f, wish, text);
    plan_sync(&f, wish, text);
    if (f.chunks) {
        begin("omp.sched", &f, wish, text);
        am_text_add(text, "axis schedule dynamic\naxis chunk 1,64\n");
        add_binding(wish, text);
    }
    if (f.tasks) {
        begin("omp.task", &f, wish, text);
        am_text_add(text, "axis construct parallel_task\n");
        add_binding(wish, text);
    }
}
