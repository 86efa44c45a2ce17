/* SPDX-License-Identifier: MIT */
/* A model of power, fitted and tested. */
#include "fit/power_fit.h"

#include "fit/equations.h"

#include <math.h>
#include <stdlib.h>

_Static_assert((int)AM_POWER_TERMS == (int)AM_UNKNOWNS, "an unknown per term");

enum { SPARE = 2 }; /* points beyond the terms */

static void coefficients_of(const struct am_power_point *p, double *out)
{
    out[AM_POWER_STATIC] = 1;
    out[AM_POWER_CORE] = p->cores;
    out[AM_POWER_FLOP] = p->flops;
    out[AM_POWER_BYTE] = p->bytes;
}

/* A term that is the same in all points cannot be told from what is drawn at rest. */
static bool varies(const struct am_power_point *points, size_t n, size_t term)
{
    double first[AM_POWER_TERMS], other[AM_POWER_TERMS];

    if (term == AM_POWER_STATIC)
        return true;
    coefficients_of(&points[0], first);
    for (size_t i = 1; i < n; i++) {
        coefficients_of(&points[i], other);
        if (fabs(other[term] - first[term]) > 1e-9 * fabs(first[term]))
            return true;
    }
    return false;
}

bool am_power_fit(const struct am_power_point *points, size_t n, struct am_power_fit *out)
{
    struct am_equations s = {0};
    size_t terms = 0;

    for (size_t k = 0; n && k < AM_POWER_TERMS; k++) {
        s.used[k] = varies(points, n, k);
        terms += s.used[k];
    }
    if (n < terms + SPARE)
        return false;
    for (size_t i = 0; i < n; i++) {
        double coefficients[AM_POWER_TERMS];

        if (!(points[i].watts > 0))
            return false;
        coefficients_of(&points[i], coefficients);
        am_equations_add(&s, coefficients, points[i].watts);
    }
    if (!am_equations_solve(&s, out->term))
        return false;
    for (size_t k = 0; k < AM_POWER_TERMS; k++)
        out->used[k] = s.used[k];
    return true;
}

double am_power_of(const struct am_power_fit *fit, const struct am_power_point *point)
{
    double coefficients[AM_POWER_TERMS], watts = 0;

    coefficients_of(point, coefficients);
    for (size_t k = 0; k < AM_POWER_TERMS; k++)
        watts += fit->term[k] * coefficients[k];
    return watts;
}

/* ---- what it has not seen ---- */

/* Whether point i is held out when `one` is asked for. */
static bool is_out(const struct am_power_point *points, size_t i, size_t one, bool groups)
{
    return groups ? points[i].group == points[one].group : i == one;
}

static void judge(const struct am_power_fit *fit, const struct am_power_point *point,
                  struct am_power_test *out)
{
    const double off = am_power_of(fit, point) / point->watts - 1;

    out->rms += off * off;
    out->worst = fmax(out->worst, fabs(off));
    out->n++;
    for (size_t k = 0; k < AM_POWER_TERMS; k++) {
        out->least[k] = fmin(out->least[k], fit->term[k]);
        out->most[k] = fmax(out->most[k], fit->term[k]);
    }
}

bool am_power_held_out(const struct am_power_point *points, size_t n, bool groups,
                       struct am_power_test *out)
{
    struct am_power_point *const rest = calloc(n + 1, sizeof(*rest));
    bool good = rest && n > 0;

    *out = (struct am_power_test){0};
    for (size_t k = 0; k < AM_POWER_TERMS; k++)
        out->least[k] = INFINITY;
    for (size_t one = 0; good && one < n; one++) {
        struct am_power_fit fit;
        size_t left = 0;

        for (size_t i = 0; i < n; i++) {
            if (!is_out(points, i, one, groups))
                rest[left++] = points[i];
        }
        good = am_power_fit(rest, left, &fit);
        if (good)
            judge(&fit, &points[one], out);
    }
    free(rest);
    out->rms = out->n ? sqrt(out->rms / (double)out->n) : NAN;
    return good;
}
