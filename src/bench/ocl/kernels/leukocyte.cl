/* SPDX-License-Identifier: MIT */
/* app.leukocyte: one work-group per cell. The field of a sub-image lies in local memory. */

/* Set by the bench:
 *   REAL     float or double
 *   STRIPS   strips of rows of a sub-image; a work-item has one column of one strip. 0: a group is
 *            one work-item, which goes through the rows in vectors, as processors like it
 *   WIDTH    elements of such a vector, 8 or 16
 *   ATAN     weights by the arc; otherwise by a step
 * and by the application: REACH_X, REACH_Y, POINTS, HISTORY. */
#ifdef FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define ROWS_MAX (2 * REACH_Y + 1)
#define COLUMNS_MAX (2 * REACH_X + 1)
#define LANES 96 /* columns of work-items: a multiple of what devices run in step */
#if STRIPS
#define STRIDE (COLUMNS_MAX + 3) /* with the frame that repeats the border; no multiple of 32 */
#define ELEMENT REAL
#else
#define STRIDE (LANES + 2) /* with the frame, and room for whole vectors */
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define ELEMENT PASTE(REAL, WIDTH)
#define LOAD PASTE(vload, WIDTH)
#define STORE PASTE(vstore, WIDTH)
#endif
#define AT(i, j) (((i) + 1) * STRIDE + (j) + 1)
#define R(x) ((REAL)(x))
#define RADIUS R(10) /* of a usual cell, pixels */
#define FOUND 4      /* numbers told of a cell */

/* What is known of a cell, from frame to frame. */
struct cell {
    REAL x, y;
    REAL radius[POINTS];
    REAL past_y[HISTORY];
    int frames; /* places so far */
    int x0, y0, columns, rows; /* of the latest sub-image */
    int iterations, steps;
};

struct size {
    int rows, columns;
};

struct rule {
    REAL diffusion, pull, inverse_epsilon;
};

/* ---- the edge map ---- */

int nearest_pixel(REAL x, int n)
{
    if (!(x > 0))
        return 0;
    return x < R(n - 1) ? (int)(x + R(0.5)) : n - 1;
}

/* Length of the gradient of pixel (i, j) of a sub-image, one-sided at its border. `at` is the
 * pixel. */
REAL edge_at(__global const uchar *at, int width, int i, int j, struct size size)
{
    const int left = j > 0, right = j + 1 < size.columns, up = i > 0, down = i + 1 < size.rows;
    const REAL dx = R((int)at[right] - (int)at[-left]) / R(left + right);
    const REAL dy = R((int)at[down * width] - (int)at[-up * width]) / R(up + down);

    return sqrt(dx * dx + dy * dy);
}

/* ---- one step of the field ---- */

#ifdef ATAN
ELEMENT turn(ELEMENT d, REAL inverse_epsilon)
{
    return d * (atan(d * inverse_epsilon) * R(0.31830988618379067154));
}

ELEMENT diffuse(const ELEMENT *a, const ELEMENT *m, const ELEMENT *b, const struct rule *rule)
{
    const ELEMENT f = m[1];
    const REAL e = rule->inverse_epsilon;
    const ELEMENT halves = ((a[1] + b[1]) + (m[0] + m[2])) + ((a[0] + b[2]) + (a[2] + b[0]));
    const ELEMENT with = turn(b[1] - f, e) + turn(m[2] - f, e) + turn(b[2] - f, e + e);
    const ELEMENT against = turn(a[1] - f, e) + turn(m[0] - f, e) + turn(a[0] - f, e + e);

    return f + rule->diffusion * (R(0.5) * (halves - R(8) * f) + (with - against));
}
#else
ELEMENT diffuse(const ELEMENT *a, const ELEMENT *m, const ELEMENT *b, const struct rule *rule)
{
    const ELEMENT f = m[1];
    const ELEMENT low = fmin(a[1], f) + fmin(m[0], f), high = fmax(b[1], f) + fmax(m[2], f);
    const ELEMENT sum = R(0.5) * (a[2] + b[0]) + ((low + high) + (fmax(b[2], f) + fmin(a[0], f)));

    return rule->diffusion * sum + (R(1) - R(7) * rule->diffusion) * f;
}
#endif

/* ---- kernels: a cell begins ---- */

/* Circles around the places that cells begin at. */
__kernel void am_leuko_start(__global const REAL *places, __global struct cell *cells)
{
    const int i = (int)get_global_id(0);
    __global struct cell *const c = &cells[i];

    c->x = places[2 * i];
    c->y = places[2 * i + 1];
    c->past_y[0] = c->y;
    c->frames = 1;
    for (int k = 0; k < POINTS; k++)
        c->radius[k] = RADIUS;
}

#if STRIPS

/* ---- fields, by many work-items ---- */

#define HEIGHT ((ROWS_MAX + STRIPS - 1) / STRIPS)
#define GROUP (LANES * STRIPS)
#define FANS 16 /* of the last step of a reduction */

/* Reductions: a tree of two steps, in a fixed order. */
#define REDUCE(name, join)                                                                         \
    REAL name(REAL x, __local REAL *all, __local REAL *fans)                                       \
    {                                                                                              \
        const int me = (int)(get_local_id(1) * LANES + get_local_id(0));                           \
        REAL sum;                                                                                  \
                                                                                                   \
        all[me] = x;                                                                               \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        if (me < FANS) {                                                                           \
            sum = all[me];                                                                         \
            for (int k = me + FANS; k < GROUP; k += FANS)                                          \
                sum = join(sum, all[k]);                                                           \
            fans[me] = sum;                                                                        \
        }                                                                                          \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        sum = fans[0];                                                                             \
        for (int k = 1; k < FANS; k++)                                                             \
            sum = join(sum, fans[k]);                                                              \
        return sum;                                                                                \
    }
REDUCE(reduce_min, fmin)
REDUCE(reduce_max, fmax)

/* Writes element (i, j), and what of the frame repeats it. */
void put(__local REAL *field, struct size size, int i, int j, REAL x)
{
    const int up = i == 0, down = i + 1 == size.rows;
    const int left = j == 0, right = j + 1 == size.columns;

    for (int di = -up; di <= down; di++) {
        for (int dj = -left; dj <= right; dj++)
            field[AT(i + di, j + dj)] = x;
    }
}

/* One iteration over the `mine` rows of a strip from row `first` on, in column `j`: the new values
 * go to `next`. Returns the sum of the changes. */
REAL new_strip(__local const REAL *field, int first, int mine, int j, const struct rule *rule,
               const REAL *edge, REAL *next)
{
    REAL rows[3][3], sum = R(0);

    if (mine > 0) {
        for (int d = 0; d < 3; d++) {
            rows[0][d] = field[AT(first - 1, j + d - 1)];
            rows[1][d] = field[AT(first, j + d - 1)];
        }
    }
#pragma unroll
    for (int k = 0; k < HEIGHT; k++) {
        if (k < mine) {
            REAL h;

            for (int d = 0; d < 3; d++)
                rows[2][d] = field[AT(first + k + 1, j + d - 1)];
            h = diffuse(rows[0], rows[1], rows[2], rule);
            next[k] = h + rule->pull * edge[k] * (edge[k] - h);
            sum += fabs(next[k] - rows[1][1]);
            for (int d = 0; d < 3; d++) {
                rows[0][d] = rows[1][d];
                rows[1][d] = rows[2][d];
            }
        }
    }
    return sum;
}

/* Where the cell is looked for, its edge map, and its field, which goes to `fields`, dense. */
__kernel __attribute__((reqd_work_group_size(LANES, STRIPS, 1))) void
am_leuko_field(__global const uchar *frame, int width, int height, __global struct cell *cells,
               __global REAL *fields, REAL diffusion, REAL pull, REAL inverse_epsilon, REAL stop,
               int limit)
{
    __local REAL field[(ROWS_MAX + 2) * STRIDE], all[GROUP], fans[FANS];
    __global struct cell *const c = &cells[get_group_id(0)];
    const struct rule rule = {diffusion, pull, inverse_epsilon};
    const int j = (int)get_local_id(0), strip = (int)get_local_id(1);
    const int me = strip * LANES + j, first = strip * HEIGHT;
    const int x0 = nearest_pixel(c->x - R(REACH_X), width);
    const int y0 = nearest_pixel(c->y - R(REACH_Y), height);
    const struct size size = {nearest_pixel(c->y + R(REACH_Y), height) - y0 + 1,
                              nearest_pixel(c->x + R(REACH_X), width) - x0 + 1};
    const int mine = j < size.columns ? min(HEIGHT, size.rows - first) : 0; /* rows */
    REAL edge[HEIGHT], next[HEIGHT], low = R(1e30), high = R(0), sum;
    int iterations = 0;

    for (int k = 0; k < HEIGHT; k++) {
        edge[k] = R(0);
        if (k < mine) {
            edge[k] = edge_at(frame + (y0 + first + k) * width + x0 + j, width, first + k, j, size);
            low = fmin(low, edge[k]);
            high = fmax(high, edge[k]);
        }
    }
    low = reduce_min(low, all, fans);
    barrier(CLK_LOCAL_MEM_FENCE);
    high = reduce_max(high, all, fans);
    for (int k = 0; k < HEIGHT; k++) {
        if (k < mine) {
            edge[k] = high > low ? (edge[k] - low) / (high - low) : R(0);
            put(field, size, first + k, j, edge[k]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    do {
        /* A reduction, with the new field written between its barriers. */
        all[me] = new_strip(field, first, mine, j, &rule, edge, next);
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int k = 0; k < HEIGHT; k++) {
            if (k < mine)
                put(field, size, first + k, j, next[k]);
        }
        if (me < FANS) {
            sum = all[me];
            for (int k = me + FANS; k < GROUP; k += FANS)
                sum += all[k];
            fans[me] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        sum = fans[0];
        for (int k = 1; k < FANS; k++)
            sum += fans[k];
        iterations++;
    } while (iterations < limit && sum > stop * R(size.rows * size.columns));
    for (int k = 0; k < mine; k++)
        fields[(int)get_group_id(0) * ROWS_MAX * COLUMNS_MAX + (first + k) * size.columns + j] =
            field[AT(first + k, j)];
    if (me == 0) {
        c->x0 = x0;
        c->y0 = y0;
        c->rows = size.rows;
        c->columns = size.columns;
        c->iterations = iterations;
    }
}

#else

/* ---- fields, by one work-item ---- */

#define AREA ((ROWS_MAX + 2) * STRIDE + WIDTH)

/* The frame repeats the border. */
void close_frame(__local REAL *field, struct size size)
{
    for (int i = 0; i < size.rows; i++) {
        field[AT(i, -1)] = field[AT(i, 0)];
        field[AT(i, size.columns)] = field[AT(i, size.columns - 1)];
    }
    for (int j = -1; j <= size.columns; j++) {
        field[AT(-1, j)] = field[AT(0, j)];
        field[AT(size.rows, j)] = field[AT(size.rows - 1, j)];
    }
}

void load_row(ELEMENT *row, __local const REAL *field, int i, int j)
{
    row[0] = LOAD(0, field + AT(i, j - 1));
    row[1] = LOAD(0, field + AT(i, j));
    row[2] = LOAD(0, field + AT(i, j + 1));
}

/* One step; the sum of all changes. Lanes behind a row's last column compute what nobody reads. */
REAL step_field(__local const REAL *edge, __local const REAL *from, __local REAL *to,
                struct size size, const struct rule *rule)
{
    REAL sum = R(0);

    for (int j = 0; j < size.columns; j += WIDTH) {
        ELEMENT above[3], middle[3], below[3], changes = (ELEMENT)(R(0));
        REAL lanes[WIDTH];

        load_row(above, from, -1, j);
        load_row(middle, from, 0, j);
        for (int i = 0; i < size.rows; i++) {
            const ELEMENT e = LOAD(0, edge + AT(i, j));
            ELEMENT h, next;

            load_row(below, from, i + 1, j);
            h = diffuse(above, middle, below, rule);
            next = h + rule->pull * e * (e - h);
            STORE(next, 0, to + AT(i, j));
            changes += fabs(next - middle[1]);
            for (int d = 0; d < 3; d++) {
                above[d] = middle[d];
                middle[d] = below[d];
            }
        }
        STORE(changes, 0, lanes);
        for (int k = 0; k < min(WIDTH, size.columns - j); k++)
            sum += lanes[k];
    }
    close_frame(to, size);
    return sum;
}

/* Where the cell is looked for, its edge map, and its field, which goes to `fields`, dense. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
am_leuko_field(__global const uchar *frame, int width, int height, __global struct cell *cells,
               __global REAL *fields, REAL diffusion, REAL pull, REAL inverse_epsilon, REAL stop,
               int limit)
{
    __local REAL edge[AREA], even[AREA], odd[AREA];
    __global struct cell *const c = &cells[get_group_id(0)];
    const struct rule rule = {diffusion, pull, inverse_epsilon};
    const int x0 = nearest_pixel(c->x - R(REACH_X), width);
    const int y0 = nearest_pixel(c->y - R(REACH_Y), height);
    const struct size size = {nearest_pixel(c->y + R(REACH_Y), height) - y0 + 1,
                              nearest_pixel(c->x + R(REACH_X), width) - x0 + 1};
    __local REAL *from = even, *to = odd;
    REAL low = R(1e30), high = R(0), sum;
    int iterations = 0;

    for (int k = 0; k < AREA; k++)
        edge[k] = even[k] = odd[k] = R(0);
    for (int i = 0; i < size.rows; i++) {
        for (int j = 0; j < size.columns; j++) {
            const REAL x = edge_at(frame + (y0 + i) * width + x0 + j, width, i, j, size);

            edge[AT(i, j)] = x;
            low = fmin(low, x);
            high = fmax(high, x);
        }
    }
    for (int i = 0; i < size.rows; i++) {
        for (int j = 0; j < size.columns; j++) {
            edge[AT(i, j)] = high > low ? (edge[AT(i, j)] - low) / (high - low) : R(0);
            even[AT(i, j)] = edge[AT(i, j)];
        }
    }
    close_frame(from, size);
    do {
        __local REAL *const old = from;

        sum = step_field(edge, from, to, size, &rule);
        from = to;
        to = old;
        iterations++;
    } while (iterations < limit && sum > stop * R(size.rows * size.columns));
    for (int i = 0; i < size.rows; i++) {
        for (int j = 0; j < size.columns; j++)
            fields[((int)get_group_id(0) * ROWS_MAX) * COLUMNS_MAX + i * size.columns + j] =
                from[AT(i, j)];
    }
    c->x0 = x0;
    c->y0 = y0;
    c->rows = size.rows;
    c->columns = size.columns;
    c->iterations = iterations;
}

#endif

/* ---- contours: as app/leukocyte/snake.c has them, a work-item per point ---- */

#define CONTOUR_GROUP 32
#define STEP R(0.2)
#define SIZE_PULL R(0.2)
#define TRACK_PULL R(0.05)

struct sample {
    REAL x, y, f, fx, fy;
};

REAL slope(__global const REAL *at, int step, int i, int n)
{
    if (i == 0)
        return at[step] - at[0];
    if (i + 1 == n)
        return at[0] - at[-step];
    return (at[step] - at[-step]) / R(2);
}

/* Bilinear; the field's direction at the four corners has length 1. */
struct sample take_sample(__global const REAL *field, struct size size, REAL x, REAL y)
{
    const int i = (int)y, j = (int)x;
    const REAL u = x - floor(x), v = y - floor(y);
    struct sample s = {x, y, R(0), R(0), R(0)};

    for (int k = 0; k < 4; k++) {
        const int row = i + (k >> 1), column = j + (k & 1);
        const REAL w = ((k & 1) ? u : R(1) - u) * ((k >> 1) ? v : R(1) - v);
        __global const REAL *const at = field + row * size.columns + column;
        const REAL dx = slope(at, 1, column, size.columns);
        const REAL dy = slope(at, size.columns, row, size.rows);
        const REAL length = sqrt(dx * dx + dy * dy);

        s.f += w * at[0];
        s.fx += length > R(0) ? w * dx / length : R(0);
        s.fy += length > R(0) ? w * dy / length : R(0);
    }
    return s;
}

REAL sum_points(__local const REAL *x)
{
    REAL sum = R(0);

    for (int i = 0; i < POINTS; i++)
        sum += x[i];
    return sum;
}

int any_of(__local const int *flags)
{
    int any = 0;

    for (int k = 0; k < POINTS; k++)
        any |= flags[k];
    return any;
}

/* What the host is told of a cell. */
void tell(__global const struct cell *c, struct size size, __global REAL *found)
{
    found += FOUND * (int)get_group_id(0);
    found[0] = c->x;
    found[1] = c->y;
    found[2] = R(c->iterations);
    found[3] = R(size.rows * size.columns);
}

__kernel __attribute__((reqd_work_group_size(CONTOUR_GROUP, 1, 1))) void
am_leuko_contour(__global struct cell *cells, __global const REAL *fields, REAL stop, int limit,
                 __global REAL *found)
{
    __local REAL xs[POINTS], ys[POINTS], f[POINTS], fx[POINTS], fy[POINTS], moved[POINTS];
    __local int outside[POINTS];
    __global struct cell *const c = &cells[get_group_id(0)];
    __global const REAL *const field = fields + (int)get_group_id(0) * ROWS_MAX * COLUMNS_MAX;
    const struct size size = {c->rows, c->columns};
    const int me = (int)get_local_id(0), is_point = me < POINTS, places = min(c->frames, HISTORY);
    const REAL half_turns = R(2 * me) / R(POINTS);
    const REAL cosine = cospi(half_turns), sine = sinpi(half_turns);
    REAL x = c->x - R(c->x0), y = c->y - R(c->y0), expected = R(0), change = stop + R(1);
    REAL radius = is_point ? c->radius[me] : R(0);
    int steps = 0;

    for (int k = 0; k < places; k++)
        expected += c->past_y[k];
    expected = expected / R(places) - R(c->y0);
    while (steps < limit && change > stop) {
        const REAL px = x + radius * cosine, py = y + radius * sine;
        const int inside = px >= R(0) && px < R(size.columns - 1) && py >= R(0) &&
                           py < R(size.rows - 1);
        REAL length = R(0), mean, pull, old_x = x, old_y = y;

        if (is_point) {
            outside[me] = !inside;
            xs[me] = px;
            ys[me] = py;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (any_of(outside))
            break;
        if (is_point) {
            const struct sample s = take_sample(field, size, px, py);
            const int after = (me + 1) % POINTS;

            f[me] = s.f;
            fx[me] = s.fx;
            fy[me] = s.fy;
            moved[me] = hypot(xs[after] - px, ys[after] - py);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        length = sum_points(moved);
        mean = sum_points(f) / length;
        x += STEP * (sum_points(fx) / length);
        y = (y + STEP * (sum_points(fy) / length) + STEP * TRACK_PULL * expected) /
            (R(1) + STEP * TRACK_PULL);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (is_point) {
            pull = (f[me] + fx[me] * (px - old_x) + fy[me] * (py - old_y) - mean) / length;
            pull = (radius + STEP * pull + STEP * SIZE_PULL * RADIUS) / (R(1) + STEP * SIZE_PULL);
            moved[me] = fabs(pull - radius);
            radius = pull;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        change = sum_points(moved) + fabs(x - old_x) + fabs(y - old_y);
        steps++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_point) {
        xs[me] = R(2) * radius * cosine / R(POINTS);
        ys[me] = R(2) * radius * sine / R(POINTS);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_point)
        c->radius[me] = radius - (sum_points(xs) * cosine + sum_points(ys) * sine);
    if (me == 0) {
        c->x = x + sum_points(xs) + R(c->x0);
        c->y = y + sum_points(ys) + R(c->y0);
        c->past_y[c->frames % HISTORY] = c->y;
        c->frames++;
        c->steps = steps;
        tell(c, size, found);
    }
}
