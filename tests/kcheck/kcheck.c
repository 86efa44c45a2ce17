/* SPDX-License-Identifier: MIT */
/* kcheck [dot] [SEED]: needs nothing but itself, so that it can be taken to another machine.
 * ARCHMETER_ISA_MAX=NAME leaves out what comes after NAME; dot: only the narrow multiply-adds. */
#include "kcheck.h"

#include "base/text.h"
#include "kernels/isa.h"
#include "tap.h"

#include <inttypes.h>
#include <stdlib.h>

void kcheck_report(bool pass, const char *fmt, ...)
{
    char sentence[256];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(sentence, sizeof(sentence), fmt, ap);
    va_end(ap);
    ok(pass, "%s", sentence);
}

/* Index of the last ISA to check, or -1 when the variable names none. */
static int last_isa(void)
{
    const char *const max = getenv("ARCHMETER_ISA_MAX");
    int n = 0;

    if (max)
        return am_isa_index(max);
    while (am_isa_names[n])
        n++;
    return n - 1;
}

static void check_isas(int last, struct am_rng *rng)
{
    for (int i = 0; i <= last; i++) {
        const char *const isa = am_isa_names[i];
        const char *const why_not = am_isa_why_not(isa);

        if (why_not) {
            printf("ok %d - %s # SKIP %s\n", ++tap_run, isa, why_not);
            continue;
        }
        kcheck_blackscholes(isa, rng);
        kcheck_flops(isa, rng);
        kcheck_gemm(isa, rng);
        kcheck_mgvf(isa, rng);
        kcheck_mgvf_lanes(isa, rng);
        kcheck_wave(isa, rng);
        kcheck_stream(isa, rng);
        kcheck_stencil(isa, rng);
        kcheck_grid(isa, rng);
    }
}

int main(int argc, char **argv)
{
    const int last = last_isa();
    const bool dots_only = argc > 1 && strcmp(argv[1], "dot") == 0;
    const int at = dots_only ? 2 : 1;
    uint64_t seed = am_rng_entropy();
    struct am_rng rng;

    if (last < 0) {
        fprintf(stderr, "kcheck: ARCHMETER_ISA_MAX names no instruction set\n");
        return 2;
    }
    if (argc > at + 1 || (argc == at + 1 && !am_parse_u64(argv[at], strlen(argv[at]), &seed))) {
        fprintf(stderr, "usage: kcheck [dot] [SEED]\n");
        return 2;
    }
    printf("# seed %" PRIu64 "\n", seed);
    am_rng_seed(&rng, seed, 0);
    kcheck_dot(&rng);
    if (dots_only)
        return tap_done();
    check_isas(last, &rng);
    kcheck_chase(&rng);
    kcheck_instr();
    kcheck_handoff(&rng);
    return tap_done();
}
