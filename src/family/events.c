/* SPDX-License-Identifier: MIT */
/* Events and what they count, by microarchitecture.
 *
 * The definitions are those of the makers' lists of events, as libpfm and the kernel's perf name
 * them; of two names the first is libpfm's, which --counters takes (the unit test asks libpfm for
 * each of them, where it is installed). Intel: FP_ARITH_INST_RETIRED counts an instruction once per
 * width, a fused one twice, so that a count times its lanes are operations. AMD: the event counts
 * operations, a fused one as two. Arm: FP_FIXED_OPS_SPEC counts operations, FP_SCALE_OPS_SPEC those
 * per 128 bits of the vector length, both executed speculatively. Memory controllers count lines of
 * 64 bytes (CAS commands) for the whole machine; caches count lines that the program's cores
 * missed. */
#include "family/events.h"

#include "base/text.h"
#include "topo/uarch.h"

#include <math.h>
#include <string.h>

enum { PARTS_MAX = 8, LINE = 64, ARCHITECTURES_MAX = 12 };

enum quantity { FLOPS, READ, WRITTEN, QUANTITIES };

struct part {
    const char *event; /* as libpfm writes it; NULL: no more */
    double each;       /* of the quantity */
};

/* One way to a quantity; of several for a machine the first whose events were all counted. */
struct way {
    const char *architectures[ARCHITECTURES_MAX]; /* NULL at once: any */
    enum quantity quantity;
    struct part parts[PARTS_MAX];
    const char *but; /* what the numbers leave out, or have too much; NULL: nothing */
};

#define INTEL_512                                                                                  \
    {                                                                                              \
        "Skylake", "Ice Lake", "Sapphire Rapids", "Emerald Rapids", "Granite Rapids",              \
            "Rocket Lake", "Tiger Lake", "Kaby Lake or later Skylake", "Kaby Lake or Coffee Lake", \
            "Comet Lake", "Cascade Lake", "Cooper Lake"                                            \
    }
#define INTEL_256                                                                                  \
    {                                                                                              \
        "Broadwell", "Alder Lake", "Raptor Lake", "Meteor Lake", "Arrow Lake", "Lunar Lake"        \
    }
#define AMD                                                                                        \
    {                                                                                              \
        "Zen 2", "Zen 3", "Zen 3+", "Zen 4", "Zen 4c", "Zen 5", "Zen 5c", "Zen", "Zen+", "Dhyana"  \
    }
#define AMD_FLOPS                                                                                  \
    {                                                                                              \
        "Zen 2", "Zen 3", "Zen 3+", "Zen 4", "Zen 4c", "Zen 5", "Zen 5c"                           \
    }
#define AMD_CONTROLLERS                                                                            \
    {                                                                                              \
        "Zen 4", "Zen 4c", "Zen 5", "Zen 5c"                                                       \
    }
#define ARITH "FP_ARITH_INST_RETIRED:"

static const char whole_machine[] = "with what others on the machine moved";
static const char last_cache[] = "by all that share the cache, without what was written";
static const char doubles[] = "double precision only";

static const struct way ways[] = {
    {INTEL_512,
     FLOPS,
     {{ARITH "SCALAR_DOUBLE", 1},
      {ARITH "128B_PACKED_DOUBLE", 2},
      {ARITH "256B_PACKED_DOUBLE", 4},
      {ARITH "512B_PACKED_DOUBLE", 8},
      {ARITH "SCALAR_SINGLE", 1},
      {ARITH "128B_PACKED_SINGLE", 4},
      {ARITH "256B_PACKED_SINGLE", 8},
      {ARITH "512B_PACKED_SINGLE", 16}},
     NULL},
    {INTEL_512,
     FLOPS,
     {{ARITH "SCALAR_DOUBLE", 1},
      {ARITH "128B_PACKED_DOUBLE", 2},
      {ARITH "256B_PACKED_DOUBLE", 4},
      {ARITH "512B_PACKED_DOUBLE", 8}},
     doubles},
    {INTEL_256,
     FLOPS,
     {{ARITH "SCALAR_DOUBLE", 1},
      {ARITH "128B_PACKED_DOUBLE", 2},
      {ARITH "256B_PACKED_DOUBLE", 4},
      {ARITH "SCALAR_SINGLE", 1},
      {ARITH "128B_PACKED_SINGLE", 4},
      {ARITH "256B_PACKED_SINGLE", 8}},
     NULL},
    {INTEL_256,
     FLOPS,
     {{ARITH "SCALAR_DOUBLE", 1}, {ARITH "128B_PACKED_DOUBLE", 2}, {ARITH "256B_PACKED_DOUBLE", 4}},
     doubles},
    {AMD_FLOPS, FLOPS, {{"RETIRED_SSE_AVX_FLOPS:ANY", 1}}, NULL},
    {AMD, FLOPS, {{"FP_RET_SSE_AVX_OPS:ALL", 1}}, NULL},
    {{"A64FX"}, FLOPS, {{"FP_FIXED_OPS_SPEC", 1}, {"FP_SCALE_OPS_SPEC", 4}}, "speculative too"},
    {{"Neoverse V1"},
     FLOPS,
     {{"FP_FIXED_OPS_SPEC", 1}, {"FP_SCALE_OPS_SPEC", 2}},
     "speculative too"},
    {{"Neoverse N2", "Neoverse V2"},
     FLOPS,
     {{"FP_FIXED_OPS_SPEC", 1}, {"FP_SCALE_OPS_SPEC", 1}},
     "speculative too"},
    {{NULL}, FLOPS, {{"PAPI_DP_OPS", 1}, {"PAPI_SP_OPS", 1}}, NULL},
    {{NULL}, FLOPS, {{"PAPI_FP_OPS", 1}}, NULL},
    {{NULL}, FLOPS, {{"PAPI_DP_OPS", 1}}, doubles},
    {INTEL_512, READ, {{"UNC_M_CAS_COUNT:RD", LINE}}, whole_machine},
    {INTEL_512, WRITTEN, {{"UNC_M_CAS_COUNT:WR", LINE}}, whole_machine},
    {INTEL_256, READ, {{"UNC_M_CAS_COUNT:RD", LINE}}, whole_machine},
    {INTEL_256, WRITTEN, {{"UNC_M_CAS_COUNT:WR", LINE}}, whole_machine},
    {AMD_CONTROLLERS, READ, {{"UMC_CAS_CMD:RD", LINE}}, whole_machine},
    {AMD_CONTROLLERS, WRITTEN, {{"UMC_CAS_CMD:WR", LINE}}, whole_machine},
    {{"Zen 3", "Zen 3+"}, READ, {{"UNC_L3_MISSES", LINE}}, last_cache},
    {{"Neoverse N1", "Neoverse N2", "Neoverse V1", "Neoverse V2"},
     READ,
     {{"LL_CACHE_MISS_RD", LINE}},
     "without prefetched lines and what was written"},
    {{NULL}, READ, {{"PAPI_L3_TCM", LINE}}, "without prefetched lines and what was written"},
};
enum { WAYS = sizeof(ways) / sizeof(*ways) };

/* ---- names ---- */

static char plain(char c)
{
    if (c >= 'a' && c <= 'z')
        return (char)(c - 'a' + 'A');
    return c == '.' ? ':' : c;
}

/* "skx_unc_imc0::UNC_M_CAS_COUNT:RD:cpu=0" and "unc_m_cas_count.rd" are one event. */
static bool same_event(const char *counted, const char *event)
{
    const char *const unit = strstr(counted, "::");

    for (counted = unit ? unit + 2 : counted; *event; event++, counted++) {
        if (plain(*counted) != *event)
            return false;
    }
    return *counted == '\0' || (*counted == ':' && strchr(counted, '='));
}

static bool is_for(const struct way *w, const char *architecture)
{
    if (!w->architectures[0])
        return true;
    return architecture && am_name_index(w->architectures, ARCHITECTURES_MAX, architecture) >= 0;
}

/* ---- counts ---- */

/* The event of all units that counted it; NAN: none did. */
static double count_of(const struct am_result *r, const char *event)
{
    static const char prefix[] = "count:";
    double sum = NAN;

    for (size_t i = 0; i < r->n_metrics; i++) {
        const struct am_result_metric *const m = &r->metrics[i];

        if (strncmp(m->name, prefix, sizeof(prefix) - 1) != 0 || !m->has_summary ||
            !isfinite(m->summary.median) || !same_event(m->name + sizeof(prefix) - 1, event))
            continue;
        sum = (isnan(sum) ? 0 : sum) + m->summary.median;
    }
    return sum;
}

/* NAN where an event of the way was not counted. */
static double amount_of(const struct way *w, const struct am_result *r)
{
    double sum = 0;

    for (size_t i = 0; i < PARTS_MAX && w->parts[i].event; i++)
        sum += w->parts[i].each * count_of(r, w->parts[i].event);
    return sum;
}

static void add_words(struct am_text *text, const struct way *w)
{
    for (size_t i = 0; i < PARTS_MAX && w->parts[i].event; i++)
        am_text_addf(text, "%s%s", i ? " + " : text->len ? "; " : "", w->parts[i].event);
    if (w->but)
        am_text_addf(text, " (%s)", w->but);
}

/* What to count on this machine: the first way to each quantity that belongs to it. */
static const char *advice(const char *architecture, struct am_arena *arena)
{
    struct am_text text;
    const char *copy;

    am_text_init(&text, 1000);
    for (enum quantity q = FLOPS; q < QUANTITIES; q++) {
        size_t i = 0;

        while (i < WAYS && (ways[i].quantity != q || !ways[i].architectures[0] ||
                            !is_for(&ways[i], architecture)))
            i++;
        if (i < WAYS)
            add_words(&text, &ways[i]);
    }
    copy = text.len ? am_arena_printf(arena, "--counters with the events %s would tell (%s)",
                                      am_text_str(&text), architecture)
                    : am_arena_printf(arena, "no events of %s are known that tell them",
                                      architecture ? architecture : "this processor");
    am_text_fini(&text);
    return copy ? copy : "";
}

size_t am_events_names(const char *architecture, const char **names, size_t cap)
{
    size_t n = 0;

    for (size_t i = 0; i < WAYS; i++) {
        for (size_t k = 0; k < PARTS_MAX && ways[i].parts[k].event; k++) {
            if (ways[i].architectures[0] && is_for(&ways[i], architecture) && n < cap)
                names[n++] = ways[i].parts[k].event;
        }
    }
    return n;
}

bool am_events_work(const struct am_result *r, const struct am_kvs *machine, struct am_arena *arena,
                    struct am_counted *out, const char **missing)
{
    const char *const architecture = am_uarch_name(machine);
    double amounts[QUANTITIES] = {0};
    bool known[QUANTITIES] = {false};
    struct am_text text;

    am_text_init(&text, 1000);
    for (size_t i = 0; i < WAYS; i++) {
        const struct way *const w = &ways[i];
        const double amount =
            !known[w->quantity] && is_for(w, architecture) ? amount_of(w, r) : NAN;

        if (isnan(amount))
            continue;
        known[w->quantity] = true;
        amounts[w->quantity] = amount;
        add_words(&text, w);
    }
    *out = (struct am_counted){.work = {.ops = 1,
                                        .flops = amounts[FLOPS],
                                        .bytes_read = amounts[READ],
                                        .bytes_written = amounts[WRITTEN]},
                               .from = am_arena_strdup(arena, am_text_str(&text))};
    am_text_fini(&text);
    *missing = advice(architecture, arena);
    return amounts[FLOPS] > 0 || amounts[READ] + amounts[WRITTEN] > 0;
}
