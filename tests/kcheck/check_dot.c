/* SPDX-License-Identifier: MIT */
/* Narrow multiply-adds: every form of this machine against whole numbers, and planted faults. */
#include "kcheck.h"

#include "kernels/dot/dot.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t counts[] = {1, 2, 7, AM_DOT_STEPS - 1, AM_DOT_STEPS};
enum { COUNTS = sizeof(counts) / sizeof(counts[0]) };

/* The reference has to notice a step too many, one too few, and a bit of an element: byte 8 k is
 * the lowest of one, whatever their size. */
static bool notices(const struct am_dot_form *form, const struct am_dot_operands *in,
                    unsigned char *out, uint64_t steps, struct am_rng *rng)
{
    const size_t n = am_dot_streams(form) * am_dot_sums(form);
    const bool counted = am_dot_wrong(form, in, out, steps + 1) != SIZE_MAX &&
                         am_dot_wrong(form, in, out, steps - 1) != SIZE_MAX;

    out[8 * am_rng_below(rng, n / 4)] ^= 1;
    return counted && am_dot_wrong(form, in, out, steps) != SIZE_MAX;
}

static void check_form(const struct am_dot_form *form, struct am_rng *rng)
{
    struct am_dot_operands *const in = aligned_alloc(64, sizeof(*in));
    unsigned char *const out = aligned_alloc(64, AM_DOT_SUMS);
    const uint64_t seed = am_rng_below(rng, 1000000);
    struct am_err err = {.text = ""};
    size_t wrong = SIZE_MAX;
    bool noticed = true;

    if (!in || !out || am_dot_open(form, &err) != AM_OK) {
        kcheck_report(false, "%s: cannot be opened: %s", form->name, err.text);
    } else {
        am_dot_fill(form, seed, in);
        for (size_t i = 0; i < COUNTS && wrong == SIZE_MAX; i++) {
            memset(out, 0xa5, AM_DOT_SUMS);
            form->run(in, out, counts[i]);
            wrong = am_dot_wrong(form, in, out, counts[i]);
            noticed = noticed && notices(form, in, out, counts[i], rng);
        }
        form->chained(in, 3);
        kcheck_report(wrong == SIZE_MAX, "%s: sums of %zu x %zu elements are exact (seed %llu)",
                      form->name, am_dot_streams(form), am_dot_sums(form),
                      (unsigned long long)seed);
        kcheck_report(noticed, "%s: a step more or less, and a bit, are noticed", form->name);
    }
    free(in);
    free(out);
}

void kcheck_dot(struct am_rng *rng)
{
    for (const struct am_dot_form *form = am_dot_forms; form->name; form++) {
        const char *const why_not = am_dot_why_not(form->name);

        if (why_not)
            kcheck_report(true, "%s # SKIP %s", form->name, why_not);
        else
            check_form(form, rng);
    }
}
