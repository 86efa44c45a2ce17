/* SPDX-License-Identifier: MIT */
/* Orders of a chase: every line once, and the place after any number of steps. */
#include "bench/ocl/host/cycle.h"
#include "tap.h"

#include <stdlib.h>

/* Whether steps from line 0 meet every line before they come back. */
static bool goes_round(const struct am_cycle *c)
{
    unsigned char *const seen = calloc(c->lines, 1);
    uint64_t at = 0, n = 0;

    while (seen && !seen[at]) {
        seen[at] = 1;
        at = (c->factor * at + c->shift) % c->lines;
        n++;
    }
    free(seen);
    return n == c->lines && at == 0;
}

static void check_rounds(void)
{
    static const uint64_t lines[] = {8,       12,      32,      48,      63,      100,
                                     1 << 10, 3 << 10, 5 << 12, 7 << 13, 105 << 7};

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        struct am_cycle c = {0};
        struct am_err err = {0};

        ok(am_cycle_make(&c, lines[i], &err) == AM_OK && goes_round(&c),
           "%llu lines are all met, by %llu * i + %llu %s", (unsigned long long)lines[i],
           (unsigned long long)c.factor, (unsigned long long)c.shift, err.text);
    }
}

static void check_after(uint64_t lines)
{
    struct am_cycle c;
    uint64_t at = 5, wrong = 0;

    (void)am_cycle_make(&c, lines, NULL);
    for (uint64_t steps = 0; steps < 1000; steps++) {
        wrong += am_cycle_after(&c, 5, steps) != at;
        at = (c.factor * at + c.shift) % c.lines;
    }
    ok(wrong == 0, "%llu lines: the place after any number of steps", (unsigned long long)lines);
    ok(am_cycle_after(&c, 7, lines) == 7, "a whole round ends where it began");
    ok(am_cycle_after(&c, 7, UINT64_C(1) << 40) ==
           am_cycle_after(&c, am_cycle_after(&c, 7, UINT64_C(1) << 39), UINT64_C(1) << 39),
       "long walks are walks in two parts");
}

int main(void)
{
    static const uint64_t refused[] = {0, 11, 22, UINT64_C(1) << 32};

    check_rounds();
    check_after(3 << 10);
    check_after(UINT64_C(1) << 31);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        struct am_cycle c;
        struct am_err err = {0};

        ok(am_cycle_make(&c, refused[i], &err) == AM_E_ABSENT, "refused: %s", err.text);
    }
    return tap_done();
}
