/* SPDX-License-Identifier: MIT */
/* One step as the formula says it, a pixel and a neighbour at a time: what fast loops are held to.
 */
#include "app/leukocyte/mgvf.h"

#include <math.h>

typedef double weight_fn(double z, double epsilon);

/* The 8 neighbours, and what the direction of the flow, (1, 1), makes of their difference. */
static const struct {
    int row, column;
    double along;
} neighbours[] = {{-1, 0, -1}, {1, 0, 1}, {0, -1, -1},  {0, 1, 1},
                  {-1, 1, 0},  {1, 1, 2}, {-1, -1, -2}, {1, -1, 0}};

enum { NEIGHBOURS = sizeof(neighbours) / sizeof(neighbours[0]) };

static double weigh_atan(double z, double epsilon)
{
    return atan(z / epsilon) / M_PI + 0.5;
}

static double weigh_step(double z, double epsilon)
{
    (void)epsilon;
    if (z > 0)
        return 1;
    return z < 0 ? 0 : 0.5;
}

static double update(const struct am_mgvf_step *step, const double *f, double e, weight_fn *weigh)
{
    double sum = 0;

    for (size_t k = 0; k < NEIGHBOURS; k++) {
        const double d = f[neighbours[k].row * (ptrdiff_t)step->stride + neighbours[k].column] - *f;

        sum += weigh(neighbours[k].along * d, step->epsilon) * d;
    }
    sum = *f + step->diffusion * sum;
    return sum - step->pull * e * (sum - e);
}

static void copy_row(double *to, const double *from, size_t columns)
{
    for (ptrdiff_t j = -1; j <= (ptrdiff_t)columns; j++)
        to[j] = from[j];
}

static void run(const struct am_mgvf_step *step, size_t first, size_t last, weight_fn *weigh)
{
    const size_t columns = step->columns, stride = step->stride;

    for (size_t i = first; i < last; i++) {
        const double *const e = (const double *)step->edge + i * stride;
        const double *const from = (const double *)step->from + i * stride;
        double *const to = (double *)step->to + i * stride;

        step->sums[i] = 0;
        for (size_t j = 0; j < columns; j++) {
            to[j] = update(step, from + j, e[j], weigh);
            step->sums[i] += fabs(to[j] - from[j]);
        }
        to[-1] = to[0];
        to[columns] = to[columns - 1];
        if (i == 0)
            copy_row(to - stride, to, columns);
        if (i == step->rows - 1)
            copy_row(to + stride, to, columns);
    }
}

static void run_atan(const struct am_mgvf_step *step, size_t first, size_t last)
{
    run(step, first, last, weigh_atan);
}

static void run_minmax(const struct am_mgvf_step *step, size_t first, size_t last)
{
    run(step, first, last, weigh_step);
}

const struct am_mgvf_loop am_mgvf_reference[AM_MGVF_HEAVISIDES] = {
    [AM_MGVF_ATAN] = {.fn = run_atan, .type = AM_MGVF_F64},
    [AM_MGVF_MINMAX] = {.fn = run_minmax, .type = AM_MGVF_F64},
};
