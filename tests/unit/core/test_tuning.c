/* SPDX-License-Identifier: MIT */
/* Saved tuning: what is read and refused and with which words, which entry a point gets, and what
 * becomes of a plan. */
#include "core/protocol/protocol.h"
#include "core/tune/saved_tuning.h"

#include "tap.h"

#include <stdlib.h>

#define FIRST "archmeter-tuning 1\n"
#define LINE                                                                                       \
    "tuned app.x 2 CPU%20one for isa=avx2 n~18 threads=1 use w=12 depth=128 by measure flops "     \
    "1.5e+11 2026-11-15T10:00:00Z\n"

static const char *const isas[] = {"scalar", "avx2", NULL};
static const char *const ways[] = {"auto", "plain", "clever", NULL};
static const struct am_axis axes[] = {
    {.name = "isa", .kind = AM_AXIS_NAME, .dflt = "avx2", .choices = isas},
    {.name = "w", .kind = AM_AXIS_INT, .dflt = "0", .tune = "1:13"},
    {.name = "depth", .kind = AM_AXIS_INT, .dflt = "0", .tune = "8:1024:*2"},
    {.name = "n", .kind = AM_AXIS_INT, .dflt = "256K", .key = AM_KEY_CLASS},
    {.name = "r", .kind = AM_AXIS_REAL, .dflt = "0.25", .key = AM_KEY_FREE},
    {.name = "threads", .kind = AM_AXIS_INT, .dflt = "1"},
    {.name = NULL},
};
static const struct am_metric metrics[] = {{.name = "flops", .unit = "flop/s"}, {.name = NULL}};
static const struct am_bench bench = {
    .name = "app.x", .summary = "x", .version = 2, .axes = axes, .metrics = metrics};

static struct am_arena arena;

static enum am_status read_tuning(struct am_tuning *t, const char *text, struct am_err *err)
{
    *t = (struct am_tuning){.arena = &arena};
    *err = (struct am_err){0};
    return am_tuning_parse(t, "f", text, strlen(text), err);
}

static void test_refusals(void)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "f:1: this is no tuning file"},
        {"hello\n", "f:1: this is no tuning file"},
        {"archmeter-tuning\n", "f:1: this is no tuning file"},
        {"archmeter-tuning 2\n" LINE, "f:1: a tuning file of format 2"},
        {"archmeter-tuning -1\n", "f:1: this is no tuning file"},
        {"\n" FIRST, "f:1: this is no tuning file"},
        {FIRST LINE "tuned app.x", "f:3: a bench and its version"},
        {FIRST "# a remark\n\nturned app.x 2\n", "f:4: a line begins with \"tuned\""},
        {FIRST "tuned app.x two m for a=1 use b=2", "f:2: a bench and its version"},
        {FIRST "tuned app.x 99999999999 m for a=1 use b=2", "f:2: a bench and its version"},
        {FIRST "tuned app.x 2", "f:2: a machine follows"},
        {FIRST "tuned app.x 2 m use w=1", "f:2: axes follow"},
        {FIRST "tuned app.x 2 m for isa", "f:2: axes follow"},
        {FIRST "tuned app.x 2 m for isa=", "f:2: axes follow"},
        {FIRST "tuned app.x 2 m for =avx2 use w=1", "f:2: axes follow"},
        {FIRST "tuned app.x 2 m for isa=a isa=b use w=1", "f:2: axes follow"},
        {FIRST "tuned app.x 2 m for n~many use w=1", "f:2: axes follow"},
        {FIRST "tuned app.x 2 m for n~18 use", "f:2: values follow"},
        {FIRST "tuned app.x 2 m for n~18 use by measure flops 1 2026-11-15T10:00:00Z",
         "f:2: values follow"},
        {FIRST "tuned app.x 2 m for n~18 use w~3 by measure flops 1 2026-11-15T10:00:00Z",
         "f:2: a value to use"},
        {FIRST "tuned app.x 2 m for n~18 use w=1 by guess flops 1 2026-11-15T10:00:00Z",
         "f:2: a mode"},
        {FIRST "tuned app.x 2 m for n~18 use w=1 by measure flops much 2026-11-15T10:00:00Z",
         "f:2: the metric's value"},
        {FIRST "tuned app.x 2 m for n~18 use w=1 by measure flops nan 2026-11-15T10:00:00Z",
         "f:2: the metric's value"},
        {FIRST "tuned app.x 2 m for n~18 use w=1 by measure flops 1 yesterday", "f:2: a line ends"},
        {FIRST "tuned app.x 2 m for n~18 use w=1 by measure flops 1 2026-11-15T10:00:00Z more",
         "f:2: a line ends"},
        {FIRST "tuned  app.x 2 m", "f:2: words are parted"},
        {FIRST "tuned app.x 2 %zz for n~18", "f:2: a machine follows"},
        {FIRST "tuned\tapp.x\n", "f:2: words are parted"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct am_tuning t;
        struct am_err err;
        const enum am_status s = read_tuning(&t, cases[i].text, &err);

        ok(s == AM_E_USAGE && strncmp(err.text, cases[i].says, strlen(cases[i].says)) == 0,
           "refused: %s", err.text);
    }
}

static void test_round_trip(void)
{
    static const char text[] =
        FIRST "tuned app.w 1 a for n~3 n2=x%20y use way=clever by patient time 0.25 "
              "2026-11-15T10:00:00Z\n" LINE;
    struct am_tuning t, again;
    struct am_err err;
    struct am_text out, twice;

    am_text_init(&out, 1 << 16);
    am_text_init(&twice, 1 << 16);
    ok(read_tuning(&t, text, &err) == AM_OK && t.n == 2, "two entries are read (%s)", err.text);
    am_tuning_write(&t, &out);
    ok(read_tuning(&again, am_text_str(&out), &err) == AM_OK, "what is written is read (%s)",
       err.text);
    am_tuning_write(&again, &twice);
    is_str(am_text_str(&twice), am_text_str(&out), "and written the same again");
    ok(strstr(am_text_str(&out), LINE) != NULL, "a line is written as it was read");
    am_text_fini(&out);
    am_text_fini(&twice);
}

static void test_better_stays(void)
{
    static const struct {
        const char *mode, *date;
        bool kept;
    } cases[] = {
        {"measure", "2026-11-15T10:00:00Z", true},  {"measure", "2026-11-15T10:00:01Z", true},
        {"measure", "2026-11-14T10:00:00Z", false}, {"estimate", "2027-11-15T10:00:00Z", false},
        {"patient", "2020-01-01T00:00:00Z", true},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[512];
        struct am_tuning t, other;
        struct am_err err;
        bool kept = false;

        (void)snprintf(text, sizeof(text),
                       FIRST
                       "tuned app.x 2 CPU%%20one for isa=avx2 n~18 threads=1 use w=7 depth=64 "
                       "by %s flops 1 %s\n",
                       cases[i].mode, cases[i].date);
        (void)read_tuning(&t, FIRST LINE, &err);
        (void)read_tuning(&other, text, &err);
        ok(am_tuning_put(&t, &other.entries[0], &kept, &err) == AM_OK && kept == cases[i].kept &&
               t.n == 1 && (strcmp(t.entries[0].use[0].value, "7") == 0) == kept,
           "%s of %s %s", cases[i].mode, cases[i].date, kept ? "replaces it" : "does not");
    }
}

static struct am_point point(const char *isa, int64_t w, int64_t depth, int64_t n, int64_t threads)
{
    struct am_value *const v = am_arena_array(&arena, 6, sizeof(*v));

    (void)am_value_parse(&axes[0], isa, strlen(isa), &v[0], NULL);
    v[1] = (struct am_value){.kind = AM_AXIS_INT, .i = w};
    v[2] = (struct am_value){.kind = AM_AXIS_INT, .i = depth};
    v[3] = (struct am_value){.kind = AM_AXIS_INT, .i = n};
    v[4] = (struct am_value){.kind = AM_AXIS_REAL, .r = 0.125 * (double)threads};
    v[5] = (struct am_value){.kind = AM_AXIS_INT, .i = threads};
    return (struct am_point){.bench = &bench, .values = v};
}

static void test_find(void)
{
    static const char text[] =
        FIRST "tuned app.x 2 m for isa=avx2 n~18 threads=1 use w=12 depth=128 by measure flops 1 "
              "2026-11-15T10:00:00Z\n"
              "tuned app.x 2 m for isa=avx2 n~22 threads=1 use w=13 depth=256 by measure flops 1 "
              "2026-11-15T10:00:00Z\n"
              "tuned app.x 2 m for isa=avx2 w=4 n~18 threads=1 use depth=64 by measure flops 1 "
              "2026-11-15T10:00:00Z\n"
              "tuned app.x 2 m for isa=scalar w=0 n~18 threads=1 use depth=32 by measure flops 1 "
              "2026-11-15T10:00:00Z\n"
              "tuned app.x 1 m for isa=avx2 n~10 threads=1 use w=1 depth=1 by patient flops 1 "
              "2026-11-15T10:00:00Z\n"
              "tuned app.x 2 m for isa=avx2 n~18 threads=3 use w=wide depth=1 by patient flops 1 "
              "2026-11-15T10:00:00Z\n"
              "tuned app.x 2 other for isa=avx2 n~10 threads=1 use w=2 depth=2 by patient flops 1 "
              "2026-11-15T10:00:00Z\n";
    static const struct {
        const char *isa;
        int64_t w, depth, n, threads;
        const char *depth_used; /* NULL: no entry */
        unsigned apart;
        const char *what;
    } cases[] = {
        {"avx2", 0, 0, 262144, 1, "128", 0, "the same size"},
        {"avx2", 0, 0, 300000, 1, "128", 0, "the same power of two"},
        {"avx2", 0, 0, 1 << 19, 1, "128", 1, "the nearest power of two"},
        {"avx2", 0, 0, 1 << 21, 1, "256", 1, "the nearest, from below"},
        {"avx2", 0, 0, 1 << 26, 1, "256", 4, "a factor of 16 away"},
        {"avx2", 0, 0, 1 << 27, 1, NULL, 0, "further away"},
        {"avx2", 0, 0, 1 << 10, 1, NULL, 0, "another version, another machine"},
        {"avx2", 0, 0, 262144, 2, NULL, 0, "another number of threads"},
        {"avx2", 0, 0, 262144, 3, NULL, 0, "a value that is none any more"},
        {"avx2", 12, 0, 262144, 1, "128", 0, "a width that agrees"},
        {"avx2", 4, 0, 262144, 1, "64", 0, "a width that was fixed when it was tuned"},
        {"avx2", 5, 0, 262144, 1, NULL, 0, "a width that nothing was tuned for"},
        {"scalar", 0, 0, 262144, 1, "32", 0, "a width that is open in the entry too"},
    };
    struct am_tuning t;
    struct am_err err;

    ok(read_tuning(&t, text, &err) == AM_OK && t.n == 7, "seven entries (%s)", err.text);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct am_point p =
            point(cases[i].isa, cases[i].w, cases[i].depth, cases[i].n, cases[i].threads);
        unsigned apart;
        const struct am_tuning_entry *const e = am_tuning_find(&t, "m", &p, &apart);
        const char *depth = NULL;

        for (size_t k = 0; e && k < e->n_use; k++) {
            if (strcmp(e->use[k].axis, "depth") == 0)
                depth = e->use[k].value;
        }
        ok((depth == NULL) == (cases[i].depth_used == NULL) &&
               (!depth || (strcmp(depth, cases[i].depth_used) == 0 && apart == cases[i].apart)),
           "%s: depth %s, %u away", cases[i].what, depth ? depth : "open", apart);
    }
    ok(am_tuning_forget(&t, "app.y") == 0 && am_tuning_forget(&t, "*threads=3*") == 1 &&
           am_tuning_forget(&t, "app.*") == 6 && t.n == 0,
       "entries are forgotten by line and by bench");
}

static void test_apply(void)
{
    struct am_point points[] = {
        point("avx2", 0, 0, 262144, 1),   point("avx2", 12, 128, 262144, 1),
        point("avx2", 0, 128, 262144, 1), point("avx2", 0, 0, 262144, 2),
        point("avx2", 3, 8, 262144, 1),
    };
    struct am_plan plan = {.points = points, .n = 5, .cap = 5};
    struct am_tuning_uses uses;
    struct am_tuning t;
    struct am_err err;
    char text[AM_POINT_TEXT_MAX];

    (void)read_tuning(&t, FIRST LINE, &err);
    ok(am_tuning_apply(&t, "CPU one", &plan, &arena, &uses, &err) == AM_OK, "a plan is tuned");
    am_point_text(&plan.points[0], text, sizeof(text));
    is_str(text, "isa=avx2 w=12 depth=128 n=262144 r=0.125 threads=1", "open values are filled in");
    ok(plan.n == 3, "points that became one are measured once: %zu of 5 left", plan.n);
    ok(uses.n == 1 && uses.items[0].points == 2 && uses.open == 1,
       "one entry served %zu points, %zu stays with the bench", uses.items[0].points, uses.open);
    am_point_text(&plan.points[1], text, sizeof(text));
    is_str(text, "isa=avx2 w=0 depth=0 n=262144 r=0.25 threads=2", "what has no entry stays open");
    is_str(uses.obstacle, "threads=1 and not 2", "and it is said what the nearest entry is for");
}

/* The nearest entry is that with the fewest axes against it. */
static void test_obstacle(void)
{
    static const char text[] =
        FIRST "tuned app.x 2 m for isa=scalar n~18 threads=4 use w=12 depth=128 by measure flops 1 "
              "2026-11-15T10:00:00Z\n"
              "tuned app.x 2 m for isa=avx2 n~18 threads=4 use w=12 depth=128 by measure flops 1 "
              "2026-11-15T10:00:00Z\n";
    const struct am_point near = point("avx2", 0, 0, 1 << 18, 2);
    const struct am_point far = point("avx2", 0, 0, 1 << 30, 4);
    struct am_tuning t;
    struct am_err err;

    (void)read_tuning(&t, text, &err);
    is_str(am_tuning_obstacle(&t, "m", &near, &arena), "threads=4 and not 2", "one axis differs");
    is_str(am_tuning_obstacle(&t, "m", &far, &arena), "n~2^18 and not 1073741824",
           "a size that is too far away");
    ok(!am_tuning_obstacle(&t, "elsewhere", &near, &arena), "another machine has no entry to name");
}

static void test_entry_of(void)
{
    const struct am_point asked = point("avx2", 0, 0, 300000, 1);
    const struct am_point found = point("avx2", 12, 0, 300000, 1);
    struct am_tuning_entry e;
    struct am_text text;
    struct am_err err = {0};

    am_text_init(&text, 4096);
    ok(am_tuning_entry_of("a b", &asked, found.values, &arena, &e, &err) == AM_OK, "an entry");
    e.metric = "flops";
    e.value = 2;
    e.date = "2026-11-15T10:00:00Z";
    e.mode = AM_TUNE_PATIENT;
    am_tuning_entry_text(&e, &text);
    is_str(am_text_str(&text),
           "tuned app.x 2 a%20b for isa=avx2 depth=0 n~18 threads=1 use w=12 by patient flops 2 "
           "2026-11-15T10:00:00Z",
           "says the class of the size, what stays open, and nothing of what does not matter");
    am_text_fini(&text);
}

/* Tunables travel in a worker's listing. */
static void test_listing(void)
{
    static const struct am_bench *const benches[] = {&bench, NULL};
    struct am_listing listing;
    struct am_text text;
    struct am_err err = {0};
    bool same = true;

    am_text_init(&text, 1 << 16);
    am_listing_write(&text, "w", benches);
    ok(am_listing_parse(am_text_str(&text), text.len, &arena, &listing, &err) == AM_OK,
       "a listing with tunable axes is read (%s)", err.text);
    for (size_t i = 0; listing.n == 1 && axes[i].name; i++) {
        const struct am_axis *const a = &listing.benches[0].axes[i];

        same = same && a->key == axes[i].key && (a->tune == NULL) == (axes[i].tune == NULL) &&
               (!a->tune || strcmp(a->tune, axes[i].tune) == 0);
    }
    ok(same && listing.n == 1, "candidates and keys are those of the worker");
    am_text_fini(&text);
}

static void test_open(void)
{
    static const struct am_axis way = {
        .name = "way", .kind = AM_AXIS_NAME, .choices = ways, .tune = "plain,clever"};
    static const struct am_axis fixed = {.name = "way", .kind = AM_AXIS_NAME, .choices = ways};
    const struct am_value chosen = {.kind = AM_AXIS_NAME, .i = 0, .name = "auto"};
    const struct am_value plain = {.kind = AM_AXIS_NAME, .i = 1, .name = "plain"};

    ok(am_axis_is_open(&way, &chosen) && !am_axis_is_open(&way, &plain) &&
           !am_axis_is_open(&fixed, &chosen),
       "auto leaves the choice open where an axis is tunable");
}

int main(void)
{
    test_refusals();
    test_round_trip();
    test_better_stays();
    test_find();
    test_apply();
    test_obstacle();
    test_entry_of();
    test_listing();
    test_open();
    am_arena_fini(&arena);
    return tap_done();
}
