/* SPDX-License-Identifier: MIT */
/* Operations and bytes from readings of events: made up from the makers' definitions, on cores and
 * memory controllers of Intel, AMD and Arm. */
#include "evidence/evidence.h"
#include "family/events.h"

#include "fact_fixture.h"
#include "tap.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { READINGS_MAX = 8 };

struct machine {
    const char *vendor, *family, *model, *stepping;
};

static const struct machine skylake = {"GenuineIntel", "6", "85", "4"};
static const struct machine broadwell = {"GenuineIntel", "6", "79", "1"};
static const struct machine zen4 = {"AuthenticAMD", "25", "17", "1"};
static const struct machine zen3 = {"AuthenticAMD", "25", "1", "1"};
static const struct machine v1 = {"0x41", "8", "0xd40", "1"};
static const struct machine n1 = {"0x41", "8", "0xd0c", "1"};
static const struct machine a64fx = {"0x46", "8", "0x001", "0"};
static const struct machine strange = {"Nobody", "1", "1", "1"};

#define ARITH "count:FP_ARITH_INST_RETIRED:"

static const struct {
    const char *what;
    const struct machine *machine;
    struct {
        const char *metric;
        double value;
    } readings[READINGS_MAX];
    double flops, read, written; /* all 0: nothing is known */
    const char *word;            /* of what is said: the events, or what is missing */
} cases[] = {
    /* A triad of doubles by 512 bits: a fused product is counted twice, eight lanes each. */
    {"Intel, doubles of all widths",
     &skylake,
     {{ARITH "SCALAR_DOUBLE", 10},
      {ARITH "128B_PACKED_DOUBLE", 10},
      {ARITH "256B_PACKED_DOUBLE", 10},
      {ARITH "512B_PACKED_DOUBLE", 10}},
     150,
     0,
     0,
     "double precision only"},
    {"Intel, both precisions",
     &skylake,
     {{ARITH "SCALAR_DOUBLE", 1},
      {ARITH "128B_PACKED_DOUBLE", 1},
      {ARITH "256B_PACKED_DOUBLE", 1},
      {ARITH "512B_PACKED_DOUBLE", 1},
      {ARITH "SCALAR_SINGLE", 1},
      {ARITH "128B_PACKED_SINGLE", 1},
      {ARITH "256B_PACKED_SINGLE", 1},
      {ARITH "512B_PACKED_SINGLE", 1}},
     44,
     0,
     0,
     "512B_PACKED_SINGLE"},
    {"Intel, a width is missing",
     &skylake,
     {{ARITH "SCALAR_DOUBLE", 10}, {ARITH "256B_PACKED_DOUBLE", 10}},
     0,
     0,
     0,
     "--counters"},
    {"Intel without 512 bits",
     &broadwell,
     {{ARITH "SCALAR_DOUBLE", 10},
      {ARITH "128B_PACKED_DOUBLE", 10},
      {ARITH "256B_PACKED_DOUBLE", 10}},
     70,
     0,
     0,
     "256B_PACKED_DOUBLE"},
    {"Intel, channels of the memory controllers are added up, as perf spells them",
     &skylake,
     {{"count:skx_unc_imc0::UNC_M_CAS_COUNT:RD:cpu=0", 100},
      {"count:skx_unc_imc1::UNC_M_CAS_COUNT:RD:cpu=0", 50},
      {"count:unc_m_cas_count.wr", 25}},
     0,
     9600,
     1600,
     "others on the machine"},
    {"AMD, operations are counted as such",
     &zen4,
     {{"count:fp_ret_sse_avx_ops.all", 1234}, {"count:umc_cas_cmd.rd", 3}},
     1234,
     192,
     0,
     "FP_RET_SSE_AVX_OPS:ALL"},
    {"AMD, as libpfm spells it",
     &zen4,
     {{"count:amd64_fam19h_zen4::RETIRED_SSE_AVX_FLOPS:ANY", 99}},
     99,
     0,
     0,
     "RETIRED_SSE_AVX_FLOPS"},
    {"an Intel event on AMD tells nothing",
     &zen4,
     {{ARITH "SCALAR_DOUBLE", 10}},
     0,
     0,
     0,
     "RETIRED_SSE_AVX_FLOPS:ANY"},
    {"the last cache of Zen 3",
     &zen3,
     {{"count:amd64_fam19h_zen3_l3::UNC_L3_MISSES", 4}},
     0,
     256,
     0,
     "share the cache"},
    {"Arm with vectors of 256 bits",
     &v1,
     {{"count:FP_FIXED_OPS_SPEC", 10}, {"count:FP_SCALE_OPS_SPEC", 10}},
     30,
     0,
     0,
     "speculative"},
    {"Arm with vectors of 512 bits",
     &a64fx,
     {{"count:FP_FIXED_OPS_SPEC", 10}, {"count:FP_SCALE_OPS_SPEC", 10}},
     50,
     0,
     0,
     "speculative"},
    {"Arm, lines that the last cache missed",
     &n1,
     {{"count:LL_CACHE_MISS_RD", 10}},
     0,
     640,
     0,
     "prefetched"},
    {"any machine by PAPI's own names",
     &strange,
     {{"count:PAPI_DP_OPS", 7}, {"count:PAPI_SP_OPS", 2}, {"count:PAPI_L3_TCM", 1}},
     9,
     64,
     0,
     "PAPI_DP_OPS + PAPI_SP_OPS"},
    {"nothing counted on a machine that nobody knows", &strange, {{NULL, 0}}, 0, 0, 0, "no events"},
    {"counts of zero are no work", &zen4, {{"count:fp_ret_sse_avx_ops.all", 0}}, 0, 0, 0, ""},
};

static void make(struct rx_run *run, size_t i)
{
    const struct machine *const m = cases[i].machine;
    const struct rx_metric none[] = {{.name = NULL}};
    struct am_result *const r = rx_add(run, "exec.program", "n=1", none);

    am_kvs_add(&run->set.machine, &run->arena, "vendor", m->vendor);
    am_kvs_add(&run->set.machine, &run->arena, "family", m->family);
    am_kvs_add(&run->set.machine, &run->arena, "model", m->model);
    am_kvs_add(&run->set.machine, &run->arena, "stepping", m->stepping);
    r->metrics = am_arena_array(&run->arena, READINGS_MAX, sizeof(*r->metrics));
    for (size_t k = 0; k < READINGS_MAX && cases[i].readings[k].metric; k++) {
        const struct rx_metric reading = {cases[i].readings[k].metric, "",
                                          cases[i].readings[k].value};

        rx_metric_put(run, &r->metrics[r->n_metrics++], &reading);
    }
    am_evidence_settle(&run->set);
}

/* ---- names ---- */

/* What is asked of libpfm: pfm_pmu_encode_arg_t, for codes of no system in particular. */
struct encoding {
    uint64_t *codes;
    char **text;
    size_t size;
    int count, index;
};
enum { NO_SYSTEM = 0, ALL_LEVELS = 8, NAMES_MAX = 64 };

typedef int encode_fn(const char *event, int levels, int system, void *encoding);

static bool is_known(encode_fn *encode, const char *unit, const char *event)
{
    struct encoding e = {.size = sizeof(e)};
    char name[128];
    bool known;

    (void)snprintf(name, sizeof(name), "%s::%s", unit, event);
    known = encode(name, ALL_LEVELS, NO_SYSTEM, &e) == 0;
    free(e.codes);
    return known;
}

/* Units of libpfm 4.13 by architecture; `others`: names of the kernel's perf, which it has not. */
static const struct {
    const char *architecture, *units[3], *others;
} tables[] = {
    {"Broadwell", {"bdw_ep", "bdx_unc_imc0"}, ""},
    {"Skylake", {"skx", "skx_unc_imc0"}, ""},
    {"Cascade Lake", {"clx", "skx_unc_imc0"}, ""},
    {"Ice Lake", {"icx"}, "UNC_M_CAS_COUNT:RD UNC_M_CAS_COUNT:WR"},
    {"Sapphire Rapids", {"spr"}, "UNC_M_CAS_COUNT:RD UNC_M_CAS_COUNT:WR"},
    {"Zen 2", {"amd64_fam17h_zen2"}, "FP_RET_SSE_AVX_OPS:ALL"},
    {"Zen 3", {"amd64_fam19h_zen3", "amd64_fam19h_zen3_l3"}, "FP_RET_SSE_AVX_OPS:ALL"},
    {"Zen 4", {"amd64_fam19h_zen4"}, "FP_RET_SSE_AVX_OPS:ALL UMC_CAS_CMD:RD UMC_CAS_CMD:WR"},
};

/* Every event of the table, on what libpfm knows of other processors too. */
static void test_names(void)
{
    void *const library = dlopen("libpfm.so.4", RTLD_NOW);
    int (*begin)(void) = NULL;
    encode_fn *encode = NULL;

    if (library) {
        void *const found[] = {dlsym(library, "pfm_initialize"),
                               dlsym(library, "pfm_get_os_event_encoding")};

        memcpy(&begin, &found[0], sizeof(begin));
        memcpy(&encode, &found[1], sizeof(encode));
    }
    if (!begin || !encode || setenv("LIBPFM_ENCODE_INACTIVE", "1", 1) != 0 || begin() != 0) {
        skip_test("libpfm4 is not installed: names of events are not checked");
        return;
    }
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
        const char *names[NAMES_MAX];
        const size_t n = am_events_names(tables[i].architecture, names, NAMES_MAX);
        size_t unknown = 0;

        for (size_t k = 0; k < n; k++) {
            bool known = strstr(tables[i].others, names[k]) != NULL;

            for (size_t u = 0; u < 3 && tables[i].units[u]; u++)
                known = known || is_known(encode, tables[i].units[u], names[k]);
            if (!known)
                printf("# %s: %s\n", tables[i].architecture, names[k]);
            unknown += !known;
        }
        ok(n > 0 && unknown == 0, "%s: libpfm knows the events (%zu)", tables[i].architecture, n);
        ok(is_known(encode, tables[i].units[0], names[0]), "%s: the first is its own name",
           tables[i].architecture);
    }
    ok(!is_known(encode, "skx", "NO_SUCH_EVENT"), "and not whatever it is asked for");
}

int main(void)
{
    test_names();
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct rx_run run = {0};
        struct am_counted counted;
        const char *missing = "";
        bool known;

        make(&run, i);
        known = am_events_work(run.set.results, &run.set.machine, &run.arena, &counted, &missing);
        ok(known == (cases[i].flops + cases[i].read + cases[i].written > 0) &&
               fabs(counted.work.flops - cases[i].flops) < 0.01 * cases[i].flops + 1e-9 &&
               fabs(counted.work.bytes_read - cases[i].read) < 0.01 * cases[i].read + 1e-9 &&
               fabs(counted.work.bytes_written - cases[i].written) <
                   0.01 * cases[i].written + 1e-9 &&
               strstr(known ? counted.from : missing, cases[i].word),
           "%s: %g flops, %g + %g bytes by %s", cases[i].what, counted.work.flops,
           counted.work.bytes_read, counted.work.bytes_written, known ? counted.from : missing);
        am_arena_fini(&run.arena);
    }
    return tap_done();
}
