/* SPDX-License-Identifier: MIT */
/* Small versions of archmeter's applications, each before and after the change that `archmeter omp
 * cost` advises. Both forms print the same number.
 *
 *     cc -O2 -fopenmp -o directives examples/directives.c -lm
 *     archmeter omp cost -- ./directives sweep before
 *     archmeter time './directives sweep before' './directives sweep after'
 *
 * sweep: a stencil on a small grid: a region per step, or one region with a barrier per step.
 * price: options of the Black-Scholes formula, handed out one by one, or 64 at a time.
 * count: a histogram of a graph's degrees: one critical section per edge, or a reduction.
 * rest: serial work of about 10 ms before each small region; what helps is OMP_WAIT_POLICY=active.
 * A third word is the amount of work: thousands of steps, of options, of edges; pauses. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 96, DEGREES = 16 };

/* ---- sweep ---- */

static void step(double (*to)[SIDE], double (*from)[SIDE], int row)
{
    for (int i = 1; i < SIDE - 1; i++)
        to[row][i] =
            0.25 * (from[row - 1][i] + from[row + 1][i] + from[row][i - 1] + from[row][i + 1]);
}

static double sweep(int joined, long steps)
{
    static double grids[2][SIDE][SIDE];

    for (int i = 0; i < SIDE; i++)
        grids[0][0][i] = grids[1][0][i] = 1;
    if (joined) {
#pragma omp parallel
        for (long n = 0; n < steps; n++) {
#pragma omp for schedule(static)
            for (int row = 1; row < SIDE - 1; row++)
                step(grids[(n + 1) % 2], grids[n % 2], row);
        }
    } else {
        for (long n = 0; n < steps; n++) {
#pragma omp parallel for schedule(static)
            for (int row = 1; row < SIDE - 1; row++)
                step(grids[(n + 1) % 2], grids[n % 2], row);
        }
    }
    return grids[steps % 2][1][SIDE / 2];
}

/* ---- price ---- */

static double below(double x)
{
    return 0.5 * erfc(-x / sqrt(2));
}

static double call_price(double spot, double strike)
{
    const double rate = 0.02, volatility = 0.3, years = 1;
    const double d1 = (log(spot / strike) + (rate + volatility * volatility / 2) * years) /
                      (volatility * sqrt(years));

    return spot * below(d1) - strike * exp(-rate * years) * below(d1 - volatility * sqrt(years));
}

static double price(int coarse, long options)
{
    double *const prices = malloc((size_t)options * sizeof(*prices));
    double sum = 0;

    if (!prices)
        return NAN;
    if (coarse) {
#pragma omp parallel for schedule(dynamic, 64)
        for (long i = 0; i < options; i++)
            prices[i] = call_price(100, 50 + (double)(i % 100));
    } else {
#pragma omp parallel for schedule(dynamic, 1)
        for (long i = 0; i < options; i++)
            prices[i] = call_price(100, 50 + (double)(i % 100));
    }
    for (long i = 0; i < options; i++)
        sum += prices[i];
    free(prices);
    return sum;
}

/* ---- count ---- */

/* A vertex and its degree, drawn by the edge's number. */
static int degree_of(long edge)
{
    unsigned long x = (unsigned long)edge * 0x9e3779b97f4a7c15u;

    for (int i = 0; i < 8; i++)
        x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return (int)(x % DEGREES);
}

static double count(int reduced, long edges)
{
    long histogram[DEGREES] = {0}, sum = 0;

    if (reduced) {
#pragma omp parallel for reduction(+ : histogram)
        for (long i = 0; i < edges; i++)
            histogram[degree_of(i)]++;
    } else {
#pragma omp parallel for
        for (long i = 0; i < edges; i++) {
            const int degree = degree_of(i);

#pragma omp critical
            histogram[degree]++;
        }
    }
    for (int i = 0; i < DEGREES; i++)
        sum += i * histogram[i];
    return (double)sum;
}

/* ---- rest ---- */

/* Operations that wait for each other: a million of them take some 3 ms. */
static double rest(int unchanged, long pauses)
{
    double x = 0, sum = 0;

    (void)unchanged;
    for (long n = 0; n < pauses / 1000; n++) {
        for (long i = 0; i < 3000000; i++)
            x = x * 0.5 + 1;
#pragma omp parallel for reduction(+ : sum)
        for (long i = 0; i < 1000; i++)
            sum += x * (double)i;
    }
    return sum;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        double (*run)(int changed, long amount);
        long amount;
    } programs[] = {
        {"sweep", sweep, 20}, {"price", price, 1000}, {"count", count, 400}, {"rest", rest, 60}};

    for (size_t i = 0; argc > 2 && i < sizeof(programs) / sizeof(*programs); i++) {
        const long thousands = argc > 3 ? strtol(argv[3], NULL, 10) : programs[i].amount;

        if (strcmp(argv[1], programs[i].name) != 0)
            continue;
        printf("%.12g\n", programs[i].run(strcmp(argv[2], "after") == 0, 1000 * thousands));
        return 0;
    }
    fprintf(stderr, "usage: %s sweep|price|count|rest before|after [AMOUNT]\n", argv[0]);
    return 2;
}
