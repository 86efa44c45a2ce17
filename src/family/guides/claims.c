/* SPDX-License-Identifier: MIT */
/* Claimed beside measured: which share of what is claimed of the machine a program gets.
 *
 * Claims come from the machine's description (memory channels and rate, the link of an accelerator,
 * error correction, cache sizes), from an OpenCL device (units, lanes and clock), and, for the
 * arithmetic of cores, from what was measured of one instruction: fused multiply-adds per cycle,
 * their width and the clock. A share rests on the facts and results that it is made of, with their
 * grades and intervals. A share that lies above 1 with its whole interval denies the claim.
 * The family comes last: it looks at the facts of all others. */
#include "base/text.h"
#include "base/units.h"
#include "core/bench/isas.h"
#include "family/families.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* Clocks and rates are claimed to a few digits: so much above a claim is still the claim. */
static const double rounding = 1.03;
enum { MIB = 1048576 };

/* A share with the claim in words; its evidence says what was measured. */
static void offer_share(const struct am_deriving *d, struct am_fact fact, const char *claimed)
{
    fact.name = "share";
    fact.what = "share of the claim that is reached";
    fact.unit = "";
    fact.kind = AM_FACT_CAPABILITY;
    fact.claimed = claimed;
    fact.contradicts = fact.ci.lo > rounding;
    am_facts_offer(d->facts, fact);
}

/* "164 GB/s, memory.bandwidth{...}": what was measured, and where. */
static const char *measured(const struct am_deriving *d, const struct am_fact *f)
{
    return am_arena_printf(d->arena, "%s, %s", am_units_text(f->value, f->unit, d->arena), f->id);
}

/* The same of a count that has no unit of its own, and of sizes, which are made of powers of two.
 */
static const char *counted(const struct am_deriving *d, const struct am_fact *f, double scale,
                           const char *unit)
{
    return am_arena_printf(d->arena, "%.3g%s%s, %s", f->value / scale, *unit ? " " : "", unit,
                           f->id);
}

/* A number of the machine's description; NAN without. */
static double claim_of(const struct am_deriving *d, const char *key)
{
    const char *const text = am_kvs_get(&d->set->machine, key);
    double value;

    return text && am_parse_f64(text, strlen(text), &value) && value > 0 ? value : NAN;
}

static void label(const struct am_deriving *d, struct am_fact *f, const char *of)
{
    f->n_labels = 0;
    am_fact_label(f, d->arena, "of", AM_AXIS_NAME, of);
}

/* ---- the arithmetic of cores: pipes x width x clock ---- */

/* The fused multiply-adds whose rate shows the pipes, by type and bytes of a vector. */
static const struct fma {
    const char *type, *instr;
    double bytes, lanes;
} fmas[] = {
    {"f64", "vfmadd231pd_zmm", 64, 8},
    {"f64", "vfmadd231pd_ymm", 32, 4},
    {"f32", "vfmadd231ps_ymm", 32, 8},
    {"f64", "fmla_2d", 16, 2},
};

static double vector_bytes(const char *isa)
{
#define BYTES(name, bytes) {#name, bytes},
    static const struct {
        const char *name;
        double bytes;
    } rows[] = {AM_ISAS(BYTES)};
#undef BYTES
    const int rank = am_isa_rank(isa);

    return rank < 0 ? 0 : rows[rank].bytes;
}

/* The row whose instruction makes this peak, if its rate was measured. */
static const struct fma *fma_of(const struct am_deriving *d, const struct am_fact *peak,
                                const struct am_fact **rate)
{
    const double bytes = vector_bytes(am_fact_text(peak, "isa"));
    const char *const type = am_fact_text(peak, "type");

    for (size_t i = 0; type && i < sizeof(fmas) / sizeof(fmas[0]); i++) {
        *rate = fmas[i].bytes == bytes && strcmp(fmas[i].type, type) == 0
                    ? am_facts_only(d->facts, "core.rate",
                                    am_arena_printf(d->arena, "instr=%s", fmas[i].instr))
                    : NULL;
        if (*rate)
            return &fmas[i];
    }
    return NULL;
}

static void offer_core(const struct am_deriving *d, const struct am_fact *peak, double cores,
                       const char *of)
{
    const struct am_fact *const clock = am_facts_only(d->facts, "core.clock", NULL), *rate = NULL;
    const struct fma *const fma = peak && clock ? fma_of(d, peak, &rate) : NULL;
    struct am_fact share;

    if (!fma)
        return;
    share = am_fact_over(peak, rate, d->arena);
    share = am_fact_over(&share, clock, d->arena);
    am_fact_scale(&share, 1 / (2 * fma->lanes * cores));
    label(d, &share, of);
    am_fact_label(&share, d->arena, "type", AM_AXIS_NAME, fma->type);
    am_fact_label(&share, d->arena, "isa", AM_AXIS_NAME, am_fact_text(peak, "isa"));
    share.evidence = measured(d, peak);
    offer_share(d, share,
                am_arena_printf(d->arena, "%s: %s%.3g %s per cycle x %.0f lanes x 2 x %.3g GHz",
                                am_units_text(2 * fma->lanes * rate->value * clock->value * cores,
                                              "flop/s", d->arena),
                                cores > 1 ? am_arena_printf(d->arena, "%.0f cores x ", cores) : "",
                                rate->value, fma->instr, fma->lanes, clock->value / 1e9));
}

static void derive_arithmetic(const struct am_deriving *d)
{
    static const char *const types[] = {"f64", "f32"};
    const double cores = claim_of(d, "cores");

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        const char *const one = am_arena_printf(d->arena, "type=%s threads=1", types[i]);
        const char *const all =
            am_arena_printf(d->arena, "type=%s threads>=%.0f threads>1", types[i], cores);

        offer_core(d, am_facts_most(d->facts, "core.peak", one), 1, "arithmetic_of_one_core");
        if (cores > 1)
            offer_core(d, am_facts_most(d->facts, "core.peak", all), cores,
                       "arithmetic_of_all_cores");
    }
}

/* Narrow types, per cycle of one core: what cpu.dot does, by how often cpu.instr begins the same
 * instruction. Tiles have no such rate of their own. */
static void derive_narrow(const struct am_deriving *d)
{
    static const struct {
        const char *type, *instr;
        double products; /* of one instruction */
    } rows[] = {
        {"i8", "vpdpbusd_zmm", 64},
        {"bf16", "vdpbf16ps_zmm", 32},
        {"f16", "vfmadd231ph_zmm", 32},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *const where = am_arena_printf(d->arena, "instr=%s", rows[i].instr);
        const struct am_fact *const done = am_facts_only(d->facts, "core.dot_per_cycle", where);
        const struct am_fact *const rate = am_facts_only(d->facts, "core.rate", where);
        struct am_fact share;

        if (!done || !rate)
            continue;
        share = am_fact_over(done, rate, d->arena);
        am_fact_scale(&share, 1 / rows[i].products);
        label(d, &share, "arithmetic_of_one_core");
        am_fact_label(&share, d->arena, "type", AM_AXIS_NAME, rows[i].type);
        share.evidence = counted(d, done, 1, "multiply-adds per cycle");
        offer_share(d, share,
                    am_arena_printf(d->arena,
                                    "%.4g multiply-adds per cycle: %.3g %s per cycle x %.0f",
                                    rate->value * rows[i].products, rate->value, rows[i].instr,
                                    rows[i].products));
    }
}

/* ---- clock and number of cores ---- */

/* Both were judged where they were found: a denied one is denied there, not here again. */
static void offer_judged(const struct am_deriving *d, const struct am_fact *f, double claim,
                         const char *of, const char *claimed)
{
    struct am_fact share;

    if (!f || !(claim > 0))
        return;
    share = *f;
    am_fact_scale(&share, 1 / claim);
    label(d, &share, of);
    share.evidence = *f->unit ? measured(d, f) : counted(d, f, 1, "");
    share.ci.lo = fmin(share.ci.lo, rounding);
    offer_share(d, share, claimed);
}

static void derive_cores(const struct am_deriving *d)
{
    const char *const khz = am_kvs_get(&d->set->environment, "frequency_max_khz");
    const double cores = claim_of(d, "cores");
    double clock;

    if (khz && am_parse_f64(khz, strlen(khz), &clock))
        offer_judged(d, am_facts_only(d->facts, "core.clock", NULL), 1e3 * clock, "clock",
                     am_arena_printf(d->arena, "%.4g GHz at most", clock / 1e6));
    offer_judged(d, am_facts_only(d->facts, "core.count", NULL), cores, "cores",
                 am_arena_printf(d->arena, "%.0f cores", cores));
}

/* ---- memory, caches, error correction ---- */

static void derive_memory(const struct am_deriving *d)
{
    const struct am_fact *const f = am_facts_most(d->facts, "memory.bandwidth", "level=memory");
    const double claim = claim_of(d, "memory_bytes_per_s");
    struct am_fact share;

    if (!f || !isfinite(claim))
        return;
    share = *f;
    am_fact_scale(&share, 1 / claim);
    label(d, &share, "memory_bandwidth");
    share.evidence = measured(d, f);
    offer_share(d, share,
                am_arena_printf(d->arena, "%s: %s channels at %s MT/s",
                                am_units_text(claim, "B/s", d->arena),
                                am_kvs_get(&d->set->machine, "memory_channels"),
                                am_kvs_get(&d->set->machine, "memory_mts")));
}

/* Sizes were judged where they were found: a denied one is denied there, not here again. */
static void derive_caches(const struct am_deriving *d)
{
    const struct am_fact *size = NULL;

    while ((size = am_facts_next(d->facts, "memory.size", NULL, size)) != NULL) {
        const char *const level = am_fact_text(size, "level");
        double claim;
        struct am_fact share;

        if (!level || !size->claimed ||
            !am_parse_f64(size->claimed, strcspn(size->claimed, " "), &claim) || !(claim > 0))
            continue;
        share = *size;
        am_fact_scale(&share, 1 / claim);
        label(d, &share, "cache_size");
        am_fact_label(&share, d->arena, "level", AM_AXIS_NAME, level);
        share.evidence =
            size->value < MIB ? counted(d, size, 1024, "KiB") : counted(d, size, MIB, "MiB");
        share.ci.lo = fmin(share.ci.lo, rounding);
        offer_share(d, share,
                    claim < MIB ? am_arena_printf(d->arena, "%.4g KiB", claim / 1024)
                                : am_arena_printf(d->arena, "%.4g MiB", claim / MIB));
    }
}

static void derive_ecc(const struct am_deriving *d)
{
    const char *const mode = am_kvs_get(&d->set->machine, "ecc");
    const double on = mode && strcasecmp(mode, "none") != 0;

    if (!mode)
        return;
    am_facts_offer(d->facts, (struct am_fact){.name = "ecc",
                                              .what = "1: memory is claimed to correct errors",
                                              .unit = "",
                                              .value = on,
                                              .ci = {on, on, NAN},
                                              .claimed = mode,
                                              .evidence = "stated by EDAC or the firmware"});
}

/* ---- devices ---- */

/* The best result of each device (and value of `axis`) that is no CPU. */
static struct am_groups devices_of(const struct am_deriving *d, const struct am_selector *from,
                                   const char *axes)
{
    const struct am_picks all = am_select(d->set, from, d->arena);

    return am_picks_group(&all, axes);
}

static const struct am_pick *best_of_device(const struct am_group *group)
{
    const struct am_picks sound = am_picks_sound(&group->picks);
    const struct am_pick *const best = am_picks_best(&sound);
    const char *const kind = best ? am_kvs_get(&best->result->chosen, "device_kind") : NULL;

    return kind && strcmp(kind, "cpu") != 0 ? best : NULL;
}

static void derive_devices(const struct am_deriving *d)
{
    const struct am_selector from = {"ocl.arith", "mode=throughput type=float", "flops"};
    const struct am_groups devices = devices_of(d, &from, "device");

    for (size_t i = 0; i < devices.n; i++) {
        const struct am_pick *const best = best_of_device(&devices.items[i]);
        const char *const text = best ? am_kvs_get(&best->result->chosen, "device_flops") : NULL;
        const char *const shape = best ? am_kvs_get(&best->result->chosen, "device_shape") : NULL;
        struct am_fact share;
        double claim;

        if (!text || !shape || !am_parse_f64(text, strlen(text), &claim) || !(claim > 0))
            continue;
        share = am_fact_of(best, d->arena);
        share.evidence = am_arena_printf(
            d->arena, "%s, %s", am_units_text(share.value, share.unit, d->arena), share.evidence);
        am_fact_scale(&share, 1 / claim);
        label(d, &share, "arithmetic_of_the_device");
        am_fact_label_axes(&share, best->result, "device");
        offer_share(d, share,
                    am_arena_printf(d->arena, "%s: %s x 2",
                                    am_units_text(claim, "flop/s", d->arena), shape));
    }
}

static void derive_links(const struct am_deriving *d)
{
    const struct am_selector from = {"ocl.bus", "direction=h2d,d2h", "bandwidth"};
    const struct am_groups ways = devices_of(d, &from, "device,direction");
    const double claim = claim_of(d, "link_bytes_per_s");

    for (size_t i = 0; isfinite(claim) && i < ways.n; i++) {
        const struct am_pick *const best = best_of_device(&ways.items[i]);
        struct am_fact share;

        if (!best)
            continue;
        share = am_fact_of(best, d->arena);
        share.evidence = am_arena_printf(
            d->arena, "%s, %s", am_units_text(share.value, share.unit, d->arena), share.evidence);
        am_fact_scale(&share, 1 / claim);
        label(d, &share, "link_of_the_device");
        am_fact_label_axes(&share, best->result, "device,direction");
        offer_share(d, share,
                    am_arena_printf(d->arena, "%s: %s", am_units_text(claim, "B/s", d->arena),
                                    am_kvs_get(&d->set->machine, "link")));
    }
}

static void derive_shares(const struct am_deriving *d)
{
    derive_arithmetic(d);
    derive_narrow(d);
    derive_cores(d);
    derive_memory(d);
    derive_caches(d);
    derive_devices(d);
    derive_links(d);
}

static const struct am_fact_rule rules[] = {
    {.name = "share",
     .what = "share of the claim that is reached",
     .labels = "of,type,isa,level,device,direction",
     .derive = derive_shares},
    {.name = "ecc", .what = "1: memory is claimed to correct errors", .derive = derive_ecc},
    {.name = NULL},
};

const struct am_family am_family_claims = {
    .name = "claims",
    .title = "Claimed beside measured",
    .facts = rules,
};
