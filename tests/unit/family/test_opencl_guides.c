/* SPDX-License-Identifier: MIT */
/* Memory against arithmetic of made-up devices, and what the family of OpenCL devices advises. */
#include "fact_fixture.h"
#include "family_fixture.h"

enum { PLACES = 11 };

/* ---- ridges ---- */

/* A device that moves `bytes` and computes `flops` per second; near both limits it has a part of
 * the lower one. */
struct swept {
    const char *what;
    double bytes, flops, near;
    unsigned first, places; /* powers of two of the fused multiply-adds */
    double ridge, share;    /* NAN: nothing may be said */
};

static const struct swept devices[] = {
    {"an H200 in float", 4.6e12, 66e12, 0.85, 0, PLACES, 66 / 4.6, 0.85},
    {"a CPU in double", 30e9, 100e9, 1, 0, PLACES, 100.0 / 30, 1},
    {"no place that memory bounds alone", 4.6e12, 66e12, 0.85, 6, 5, NAN, NAN},
    {"no place that arithmetic bounds alone", 4.6e12, 66e12, 0.85, 0, 5, NAN, NAN},
    {"too few places", 4.6e12, 66e12, 0.85, 0, 3, NAN, NAN},
};

static double reached(const struct swept *x, double fmas)
{
    const double slope = x->bytes * fmas / 8, roof = fmin(slope, x->flops);
    const bool corner = slope > 0.5 * x->flops && slope < 2 * x->flops;

    return corner ? x->near * roof : roof;
}

static void check_ridge(const struct swept *x)
{
    struct rx_run run = {0};
    struct am_facts facts;

    for (unsigned i = x->places; i-- > 0;) {
        const unsigned fmas = 1U << (x->first + i);
        const struct rx_metric metric = {"flops", "flop/s", reached(x, fmas)};

        (void)rx_add(&run, "ocl.intensity",
                     am_arena_printf(&run.arena, "device=thing type=float fmas=%u size=0", fmas),
                     (const struct rx_metric[]){metric, {0}});
    }
    facts = fx_derive(&run, &am_family_opencl);
    fx_check(&facts, "opencl.ridge", "device=thing type=float", x->ridge, x->what);
    fx_check(&facts, "opencl.ridge_share", "device=thing type=float", x->share, x->what);
    ok(!isnan(x->ridge) || x->places < 4 || facts.n_remarks > 0, "%s: %s", x->what,
       facts.n_remarks ? facts.remarks[0].text : "no remark");
    am_arena_fini(&run.arena);
}

/* A device that is still faster with the most work-items that were tried. */
static void check_climbing(void)
{
    struct rx_run run = {0};
    struct am_facts facts;

    for (unsigned i = 0; i < 5; i++) {
        const struct rx_metric metric = {"time", "s", 1.0 / (1U << i)};

        (void)rx_add(
            &run, "ocl.scale",
            am_arena_printf(&run.arena, "device=thing backend=opencl items=%u size=64", 1U << i),
            (const struct rx_metric[]){metric, {0}});
    }
    facts = fx_derive(&run, &am_family_opencl);
    fx_check(&facts, "opencl.scale_items", "device=thing", NAN, "climbing to the last place");
    ok(facts.n_remarks > 0 && strstr(facts.remarks[0].text, "still faster"),
       "and that is remarked: %s", facts.n_remarks ? facts.remarks[0].text : "no remark");
    am_arena_fini(&run.arena);
}

/* 2^24 elements, by fewer and fewer work-items. */
static void check_occupancy(double knee, double want)
{
    struct rx_run run = {0};
    struct am_facts facts;

    for (unsigned each = 64; each <= 16384; each *= 4) {
        const double items = (1 << 24) / (double)each;
        const struct rx_metric metric = {"bandwidth", "B/s", 4.6e12 * fmin(1, items / knee)};
        struct am_result *const r =
            rx_add(&run, "ocl.global",
                   am_arena_printf(&run.arena,
                                   "device=thing kernel=read shape=strided stride=1 width=4 size=0 "
                                   "each=%u group=0",
                                   each),
                   (const struct rx_metric[]){metric, {0}});

        r->work.ops = 1 << 24;
    }
    facts = fx_derive(&run, &am_family_opencl);
    fx_check(&facts, "opencl.read_items", "device=thing", want,
             isnan(want) ? "fewer would do" : "the fewest that fill it");
    am_arena_fini(&run.arena);
}

/* ---- advice ---- */

static void put_device(struct am_facts *facts)
{
    fx_fact(facts, "opencl.ridge", "device=gpu type=float", "flop/B", 14.3);
    fx_fact(facts, "opencl.ridge_share", "device=gpu type=float", "", 0.87);
    fx_fact(facts, "opencl.scale_items", "device=gpu", "", 270336);
    fx_fact(facts, "opencl.segment", "device=gpu", "B", 64);
    fx_fact(facts, "opencl.read", "device=gpu", "B/s", 4.6e12);
    fx_fact(facts, "opencl.transfer", "device=gpu direction=h2d", "B/s", 55e9);
    fx_fact(facts, "opencl.hidden", "device=gpu direction=both", "", 0.98);
    fx_fact(facts, "opencl.launch", "device=gpu", "s", 10e-6);
    fx_fact(facts, "opencl.launch_batch", "device=gpu", "s", 4e-6);
    fx_fact(facts, "opencl.simd_width", "device=gpu", "", 32);
    fx_fact(facts, "opencl.divergence", "device=gpu", "", 31.5);
    fx_fact(facts, "opencl.atomic", "device=gpu space=local counters=group", "1/s", 261e9);
    fx_fact(facts, "opencl.atomic", "device=gpu space=global counters=one", "1/s", 1.37e9);
}

static void said(const struct am_facts *facts, const char *id, const char *words)
{
    const char *const text = fx_said(&am_family_opencl, id, facts);

    ok(*words ? strstr(text, words) != NULL : !*text, "%s: %s (%s)", id, *words ? words : "nothing",
       text);
}

static void set(struct am_facts *facts, const char *name, const char *where, double value,
                struct am_interval ci)
{
    struct am_fact *const own = &facts->items[am_facts_only(facts, name, where) - facts->items];

    own->value = value;
    own->ci = ci;
}

static void check_decided(const struct am_facts *facts)
{
    said(facts, "opencl.ridge", "On gpu make at least 14.3 operations (float) of every byte");
    said(facts, "opencl.ridge", "expect 87 % of either limit");
    said(facts, "opencl.items", "at least 270336 work-items on gpu");
    said(facts, "opencl.items", "a vector addition");
    said(facts, "opencl.neighbours", "moves 64 bytes, 16 times");
    said(facts, "opencl.stay", "84 times as fast");
    said(facts, "opencl.overlap", "hides 98 %");
    said(facts, "opencl.launch", "costs 4 us, one that is waited for 10 us");
    said(facts, "opencl.branches", "Let 32 neighbouring work-items of gpu");
    said(facts, "opencl.counters", "191 times the additions");
}

static void check_undecided(struct am_facts *facts)
{
    fx_fact(facts, "opencl.read_items", "device=gpu", "", 131072);
    said(facts, "opencl.items", "at least 131072 work-items on gpu: with fewer reading");
    set(facts, "opencl.ridge", NULL, 14.3, (struct am_interval){6, 30, 0.95});
    said(facts, "opencl.ridge", "Not decided");
    set(facts, "opencl.ridge", NULL, 14.3, (struct am_interval){14.3, 14.3, 0});
    said(facts, "opencl.ridge", ""); /* one launch is no ground for advice */
    set(facts, "opencl.hidden", NULL, 0.6, (struct am_interval){0.4, 0.9, 0.95});
    said(facts, "opencl.overlap", "Not decided");
    set(facts, "opencl.hidden", NULL, 0.1, (struct am_interval){0.05, 0.2, 0.95});
    said(facts, "opencl.overlap", "Do not count on");
    set(facts, "opencl.launch", NULL, 4.2e-6, (struct am_interval){3e-6, 5e-6, 0.95});
    said(facts, "opencl.launch", "Not decided");
    set(facts, "opencl.simd_width", NULL, 1, (struct am_interval){1, 1, NAN});
    said(facts, "opencl.branches", "");
    set(facts, "opencl.read", NULL, 100e9, (struct am_interval){99e9, 101e9, 0.95});
    said(facts, "opencl.stay", ""); /* a CPU, whose memory is the host's */
    set(facts, "opencl.atomic", "space=local", 1.4e9, (struct am_interval){1.3e9, 1.5e9, 0.95});
    said(facts, "opencl.counters", "gain nothing");
}

static void check_advice(void)
{
    static const char *const rules[] = {"ridge",   "items",  "neighbours", "stay",
                                        "overlap", "launch", "branches",   "counters"};
    struct am_arena arena = {0};
    struct am_facts facts = {.arena = &arena};

    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        said(&facts, am_arena_printf(&arena, "opencl.%s", rules[i]), "");
    put_device(&facts);
    check_decided(&facts);
    check_undecided(&facts);
    am_arena_fini(&arena);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
        check_ridge(&devices[i]);
    check_climbing();
    check_occupancy(16000, 16384);
    check_occupancy(100, NAN);
    check_advice();
    return tap_done();
}
