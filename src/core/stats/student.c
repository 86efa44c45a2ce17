/* SPDX-License-Identifier: MIT */
/* Student's t by the incomplete beta function, and its inverse by Newton's method. */
#include "core/stats/student.h"

#include <math.h>

enum { TERMS_MAX = 500, STEPS_MAX = 60 };

/* The continued fraction of the incomplete beta function by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;

    for (int m = 1; m <= TERMS_MAX; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

        d = 1 / (1 + even * d);
        c = 1 + even / c;
        h *= d * c;
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        h *= d * c;
        if (fabs(d * c - 1) < 1e-14)
            break;
    }
    return h;
}

/* The regularised incomplete beta function; the fraction converges fast on one side of the mean, so
 * the other side is taken by symmetry. `y` is 1 - x, given apart because it may be tiny. */
static double beta_share(double a, double b, double x, double y)
{
    double front;

    if (!(x > 0))
        return 0;
    if (!(y > 0))
        return 1;
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, y) / b;
}

double am_student_tail(double t, double df)
{
    const double whole = df + t * t;
    double tail;

    if (isnan(t) || !(df > 0))
        return NAN;
    if (isinf(whole))
        return t > 0 ? 0 : 1;
    tail = beta_share(df / 2, 0.5, df / whole, t * t / whole) / 2;
    return t >= 0 ? tail : 1 - tail;
}

static double density(double t, double df)
{
    return exp(lgamma((df + 1) / 2) - lgamma(df / 2) - (df + 1) / 2 * log1p(t * t / df)) /
           sqrt(df * M_PI);
}

double am_student_quantile(double tail, double df)
{
    double t = 0, next = 1;

    if (!(tail > 0) || !(tail < 1) || !(df > 0))
        return NAN;
    if (tail > 0.5)
        return -am_student_quantile(1 - tail, df);
    while (am_student_tail(next, df) > tail && next < 1e150) {
        t = next;
        next *= 2;
    }
    /* Above zero the tail is convex: Newton's steps from below never pass the solution. */
    for (int i = 0; i < STEPS_MAX; i++) {
        const double step = (am_student_tail(t, df) - tail) / density(t, df);

        if (!(step > 1e-14 * t))
            break;
        t += step;
    }
    return t;
}
