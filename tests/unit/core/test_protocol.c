/* SPDX-License-Identifier: MIT */
/* The line protocol: messages, requests and listings read back what was written, and nothing else.
 */
#include "core/protocol/protocol.h"
#include "core/protocol/words.h"
#include "tap.h"

static const char *const colours[] = {"red", "light blue", "100%", NULL};

static const char *why_not(const char *choice)
{
    return strcmp(choice, "red") == 0 ? NULL : "no such paint = here";
}

static const char *const *find_colours(void)
{
    return colours;
}

static const char *const variable_values[] = {"RED", NULL, "1 0 0"};

static const struct am_axis axes[] = {
    {.name = "size", .kind = AM_AXIS_SIZE, .unit = "B", .dflt = "4K:1M:*2", .help = "bytes"},
    {.name = "colour",
     .kind = AM_AXIS_NAME,
     .dflt = "usable",
     .quick = "best",
     .choices = colours,
     .ranked = true,
     .why_not = why_not,
     .help = ""},
    {0},
};

static const struct am_axis found_axes[] = {
    {.name = "found",
     .kind = AM_AXIS_NAME,
     .dflt = "all",
     .enumerate = find_colours,
     .env = "PAINT",
     .env_values = variable_values},
    {0},
};

static const struct am_metric metrics[] = {
    {.name = "latency", .unit = "s", .better = AM_LOWER, .rule = AM_RULE_TIME_PER_OP, .help = "-"},
    {.name = "rate", .unit = "1/s", .better = AM_HIGHER, .rule = AM_RULE_OP_RATE},
    {0},
};

static const struct am_systematic systematic[] = {
    {.metric = "rate", .pieces = 12, .selection = 0.01, .difference = "latency"},
    {0},
};

static const struct am_bench bench = {
    .name = "test.paint",
    .summary = "a summary of 100 % \xc3\xbcnicode",
    .version = 3,
    .axes = axes,
    .metrics = metrics,
    .systematic = systematic,
    .points_per_launch = 7,
    .mixes = true,
    .timed = AM_TIMED_OWN,
    .cpus = AM_CPUS_ALL,
};

static const struct am_bench found = {
    .name = "test.found", .summary = "", .axes = found_axes, .metrics = metrics};

static const struct am_bench *const benches[] = {&bench, &found, NULL};

#define SIXTEEN " 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"

static void round_trip(struct am_msg in, const char *want)
{
    struct am_text text;
    struct am_msg out;
    struct am_err err = {0};

    am_text_init(&text, AM_LINE_MAX);
    am_msg_write(&text, &in);
    is_str(am_text_str(&text), want, "a message is written as documented");
    ok(am_msg_parse(am_text_str(&text), text.len - 1, &out, &err) == AM_OK, "and parses (%s)",
       err.text);
    am_text_clear(&text);
    am_msg_write(&text, &out);
    is_str(am_text_str(&text), want, "and reads back the same");
    am_text_fini(&text);
}

static void test_messages(void)
{
    struct am_msg hello = {.kind = AM_MSG_HELLO, .version = 1, .worker = "cpu", .hz = 2.0};
    struct am_msg skip = {.kind = AM_MSG_SKIP, .reason = "no avx 100%\n"};
    struct am_msg sample = {.kind = AM_MSG_SAMPLE, .n_values = 2};

    hello.clock.overhead_ns = 25;
    hello.clock.resolution_ns = 1;
    round_trip(hello, "hello 1 cpu 25 1 0x1p+1\n");
    round_trip((struct am_msg){.kind = AM_MSG_POINT, .point_id = -7}, "point -7\n");
    round_trip((struct am_msg){.kind = AM_MSG_WORK, .work = {.flops = 1.5}},
               "work 0x0p+0 0x0p+0 0x1.8p+0 0x0p+0\n");
    round_trip((struct am_msg){.kind = AM_MSG_NOTE, .key = "runtime", .reason = "libgomp 12"},
               "note runtime libgomp%2012\n");
    round_trip((struct am_msg){.kind = AM_MSG_CHOSEN, .key = "w", .reason = "8"}, "chosen w 8\n");
    round_trip((struct am_msg){.kind = AM_MSG_WINDOW, .begin_ns = 5, .end_ns = 9}, "window 5 9\n");
    round_trip((struct am_msg){.kind = AM_MSG_PROPOSE, .key = "w", .reason = "1:16:*2"},
               "propose w 1:16:*2\n");
    round_trip(
        (struct am_msg){
            .kind = AM_MSG_ATTACH, .key = "tracks", .type = "text/x-tracks", .length = 8388608},
        "attach tracks text/x-tracks 8388608\n");
    round_trip((struct am_msg){.kind = AM_MSG_DATA, .data = {0, 0x7f, 0xff, ' '}, .n_data = 4},
               "data 007fff20\n");
    round_trip(skip, "skip no%20avx%20100%25%0a\n");
    round_trip((struct am_msg){.kind = AM_MSG_DONE}, "done\n");
    sample.sample = (struct am_sample){.iters = 3,
                                       .t0_ns = 10,
                                       .t1_ns = 20,
                                       .elapsed_ns = 9,
                                       .hz_before = 1,
                                       .hz_after = 1,
                                       .switches = 2,
                                       .off_ns = 7,
                                       .labels = 2,
                                       .values = {0.5, INFINITY}};
    round_trip(sample, "sample 3 10 20 9 0x1p+0 0x1p+0 0 2 7 2 0x1p-1 nan\n");
}

static void test_bad_messages(void)
{
    static const char *const bad[] = {
        "",
        " ",
        "hello",
        "hello 1 cpu 25 1 0x1p+1 more",
        "hello x cpu 25 1 1",
        "hullo 1",
        "point",
        "point 1.5",
        "point  1",
        "sample 0 1 2 1 1 1 0 0 0 0 1",
        "sample 1 2 1 1 1 1 0 0 0 0 1",
        "sample 1 1 2 1 1 1 0 0 0 4294967296 1",
        "sample 1 1 2 1 1 1 0 0 -1 0 1",
        "sample 1 1 2 1 1 1 0 0 0",
        "sample 1 1 2 1 1 1 0 0 0 0 1" SIXTEEN SIXTEEN SIXTEEN SIXTEEN, /* 65 values */
        "skip a b",
        "skip %0",
        "skip %00",
        "skip %zz",
        "work 1 2 3",
        "work 1 2 3 inf",
        "chosen w",
        "chosen % 8",
        "propose w 1 2",
        "attach tracks text/plain",
        "attach tracks % 8",
        "attach tracks text/plain -1",
        "attach tracks text/plain 0x8",
        "data",
        "data 0",
        "data 0g",
        "data FF",
        "data %20",
        "data 00 00",
        "done now",
        "done\t",
    };
    struct am_msg msg;

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct am_err err = {0};
        const enum am_status s = am_msg_parse(bad[i], strlen(bad[i]), &msg, &err);

        ok(s == AM_E_PROTOCOL && err.text[0], "refused: \"%s\" (%s)", bad[i], err.text);
    }
}

static void test_request(void)
{
    const struct am_value values[] = {{.kind = AM_AXIS_SIZE, .i = 4096},
                                      {.kind = AM_AXIS_NAME, .i = 1, .name = "light blue"}};
    struct am_point points[] = {{.bench = &bench, .values = values, .id = 12}};
    int cpus[] = {3, 1};
    const struct am_request in = {.sampler = {.min_batch_ns = 5,
                                              .max_point_ns = 6,
                                              .warmup = 1,
                                              .samples = 2,
                                              .extra = 3,
                                              .drift_limit = 0.25},
                                  .seed = UINT64_MAX,
                                  .memory_limit_bytes = 77,
                                  .cpus = cpus,
                                  .n_cpus = 2,
                                  .points = points,
                                  .n_points = 1};
    struct am_request out;
    struct am_arena arena = {0};
    struct am_err err = {0};
    struct am_text text;

    am_text_init(&text, 4096);
    am_request_write(&text, &in);
    ok(am_request_parse(am_text_str(&text), text.len, benches, &arena, &out, &err) == AM_OK,
       "a request reads back (%s)", err.text);
    ok(out.seed == UINT64_MAX && out.memory_limit_bytes == 77 && out.n_cpus == 2 &&
           out.cpus[0] == 3 && out.cpus[1] == 1,
       "with its seed, limit and CPUs");
    ok(out.sampler.min_batch_ns == 5 && out.sampler.extra == 3 && out.sampler.drift_limit == 0.25,
       "with its sampler's settings");
    ok(out.n_points == 1 && out.points[0].id == 12 && out.points[0].bench == &bench,
       "with its point");
    ok(out.points[0].values[0].i == 4096 && out.points[0].values[1].i == 1,
       "whose values are those of the axes");
    ok(am_request_parse(am_text_str(&text), text.len - 4, benches, &arena, &out, &err) ==
           AM_E_PROTOCOL,
       "a request without its end is refused");
    am_text_fini(&text);
    am_arena_fini(&arena);
}

/* A free name may be any printable word, also one that stands for "nothing" elsewhere. */
static void test_free_names(void)
{
    static const struct am_axis free_axes[] = {{.name = "word", .kind = AM_AXIS_NAME}, {0}};
    static const struct am_bench speaks = {
        .name = "test.speak", .axes = free_axes, .metrics = metrics};
    static const struct am_bench *const known[] = {&speaks, NULL};
    static const char *const words[] = {"-", "%", "%2d", "a%20b"};
    int cpu = 0;

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        const struct am_value value = {.kind = AM_AXIS_NAME, .i = -1, .name = words[i]};
        struct am_point point = {.bench = &speaks, .values = &value, .id = 1};
        const struct am_request in = {.cpus = &cpu, .n_cpus = 1, .points = &point, .n_points = 1};
        struct am_request out;
        struct am_arena arena = {0};
        struct am_err err = {0};
        struct am_text text;

        am_text_init(&text, 4096);
        am_request_write(&text, &in);
        ok(am_request_parse(am_text_str(&text), text.len, known, &arena, &out, &err) == AM_OK &&
               strcmp(out.points[0].values[0].name, words[i]) == 0,
           "the name \"%s\" travels (%s)", words[i], err.text);
        am_text_fini(&text);
        am_arena_fini(&arena);
    }
}

static void test_bad_requests(void)
{
    static const char *const bad[] = {
        "",
        "go\n",
        "request 3\ngo\n",
        "request 3\ngo\n",
        "request 3\ncpus 0\ngo\n",
        "request 3\ncpus 0,,1\npoint 1 test.paint size=1 colour=red\ngo\n",
        "request 3\ncpus 0\npoint 1 test.other size=1 colour=red\ngo\n",
        "request 3\ncpus 0\npoint 1 test.paint size=1\ngo\n",
        "request 3\ncpus 0\npoint 1 test.paint colour=red size=1\ngo\n",
        "request 3\ncpus 0\npoint 1 test.paint size=1 colour=green\ngo\n",
        "request 3\ncpus 0\nrequest 3\npoint 1 test.paint size=1 colour=red\ngo\n",
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct am_request out;
        struct am_arena arena = {0};
        struct am_err err = {0};

        ok(am_request_parse(bad[i], strlen(bad[i]), benches, &arena, &out, &err) == AM_E_PROTOCOL,
           "bad request %zu is refused: %s", i, err.text);
        am_arena_fini(&arena);
    }
}

static void test_listing(void)
{
    struct am_listing out;
    struct am_arena arena = {0};
    struct am_err err = {0};
    struct am_text text;
    const struct am_bench *b;

    am_text_init(&text, 65536);
    am_listing_write(&text, "test", benches);
    ok(am_listing_parse(am_text_str(&text), text.len, &arena, &out, &err) == AM_OK,
       "a listing reads back (%s)", err.text);
    is_str(out.worker, "test", "with the worker's name");
    b = &out.benches[0];
    ok(out.n == 2 && b->version == 3 && b->points_per_launch == 7 && b->cpus == AM_CPUS_ALL,
       "with the bench");
    ok(b->timed == AM_TIMED_OWN && b->mixes && !out.benches[1].mixes,
       "with its clock, and whether it mixes with others");
    is_str(b->summary, bench.summary, "with its summary");
    ok(am_axis_count(b->axes) == 2 && am_metric_count(b->metrics) == 2, "axes and metrics");
    ok(!am_systematic_find(b->systematic, "latency") &&
           am_systematic_find(b->systematic, "rate")->pieces == 12,
       "and what it states of its uncertainty");
    is_str(am_systematic_find(b->systematic, "rate")->difference, "latency", "word by word");
    is_str(b->axes[0].dflt, "4K:1M:*2", "with default values");
    ok(b->axes[0].quick == NULL && b->axes[0].choices == NULL, "and without what was not given");
    is_str(b->axes[1].choices[2], "100%", "with choices");
    ok(b->axes[1].ranked && !b->axes[0].ranked, "and whether they rise");
    ok(b->axes[1].reasons[0] == NULL, "a usable choice has no reason against it");
    is_str(b->axes[1].reasons[1], "no such paint = here", "an unusable one has");
    is_str(b->axes[1].help, "", "an empty text stays empty, not absent");
    b = &out.benches[1];
    is_str(b->axes[0].choices[1], "light blue", "choices found at run time are listed");
    is_str(b->axes[0].env, "PAINT", "with the variable of the environment");
    is_str(b->axes[0].env_values[2], "1 0 0", "and its values");
    ok(b->axes[0].env_values[1] == NULL && out.benches[0].axes[1].env == NULL,
       "where there are any");
    b = &out.benches[0];
    is_str(b->metrics[0].help, "-", "a lone dash is a text too");
    ok(b->metrics[0].rule == AM_RULE_TIME_PER_OP && b->metrics[1].better == AM_HIGHER,
       "with rules and directions");
    for (size_t cut = 2; cut < text.len; cut += 13) {
        struct am_err why = {0};

        if (am_listing_parse(am_text_str(&text), text.len - cut, &arena, &out, &why) == AM_OK)
            ok(false, "a listing cut by %zu bytes must not parse", cut);
    }
    ok(true, "no cut listing parses");
    ok(am_listing_parse("listing 1 old\nend\n", 18, &arena, &out, &err) == AM_E_PROTOCOL &&
           strstr(err.text, "speaks protocol 1, not 3"),
       "a worker of another version is told as such (%s)", err.text);
    am_text_fini(&text);
    am_arena_fini(&arena);
}

int main(void)
{
    test_messages();
    test_bad_messages();
    test_request();
    test_free_names();
    test_bad_requests();
    test_listing();
    return tap_done();
}
