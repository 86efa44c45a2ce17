/* SPDX-License-Identifier: MIT */
/* The walk that stands for the data of a step of the form lanes: it reads the very lines that the
 * loop's outcome depends on, and writes those that the loop writes. */
#include "bench/apps/near/leukocyte_walk.h"

#include "base/rng.h"
#include "kernels/isa.h"
#include "tap.h"

#include <stdlib.h>

enum {
    ROWS = 9,
    COLUMNS_MAX = 81,
    LINES_MAX = 4 * ROWS * 12,
    LINE = AM_WALK_LINE,
    OUT_BYTES = 16 * ROWS * COLUMNS_MAX
};

/* Edge map, field and where the new one goes, one behind the other; lines counted from the
 * beginning of each row. */
struct field {
    const struct am_mgvf_variant *v;
    enum am_mgvf_type type;
    struct am_leuko_layout layout;
    struct am_mgvf_step step;
    char *memory, *parts, *constants;
    size_t bytes;
};

/* Which lines are read and written, by row of all three matrices and place in it. */
struct lines {
    const struct field *f;
    size_t reads[LINES_MAX], writes[LINES_MAX]; /* how often */
};

static size_t per_row(const struct field *f)
{
    return (f->layout.row_bytes + LINE - 1) / LINE;
}

/* Rows of the edge map, whose second halves are rows of their own here, are the first 2 ROWS. */
static size_t line_of(const struct field *f, const void *at)
{
    const size_t offset = (size_t)((const char *)at - f->memory), two = 2 * f->layout.row_bytes;

    if (offset < ROWS * two) {
        const size_t k = offset % two / LINE;

        return (2 * (offset / two) + k / per_row(f)) * per_row(f) + k % per_row(f);
    }
    return offset / f->layout.row_bytes * per_row(f) + offset % f->layout.row_bytes / LINE;
}

static void read_line(void *self, const void *line)
{
    struct lines *const l = self;

    l->reads[line_of(l->f, line)]++;
}

static void write_line(void *self, void *line)
{
    struct lines *const l = self;

    l->writes[line_of(l->f, line)]++;
}

static void *aligned_new(size_t bytes)
{
    void *const memory = aligned_alloc(LINE, (bytes + LINE - 1) / LINE * LINE);

    if (!memory)
        abort();
    return memory;
}

static void make(struct field *f, size_t columns, struct am_rng *rng)
{
    const size_t lanes = f->v->lanes[f->type], vectors = (columns - 2 + lanes) / lanes + 1;
    const size_t element = f->type == AM_MGVF_F32 ? sizeof(float) : sizeof(double);
    double edge[ROWS * COLUMNS_MAX];

    f->layout = (struct am_leuko_layout){f->v->block, vectors * lanes * element};
    f->bytes = (size_t)4 * ROWS * f->layout.row_bytes;
    f->memory = aligned_new(f->bytes);
    f->parts = aligned_new((size_t)ROWS * lanes * element);
    f->constants = aligned_new(AM_MGVF_CONSTANTS);
    for (size_t i = 0; i < ROWS * columns; i++)
        edge[i] = am_rng_unit(rng);
    f->step = (struct am_mgvf_step){.edge = f->memory,
                                    .from = f->memory + (size_t)2 * ROWS * f->layout.row_bytes,
                                    .to = f->memory + (size_t)3 * ROWS * f->layout.row_bytes,
                                    .rows = ROWS,
                                    .columns = columns,
                                    .stride = vectors * lanes,
                                    .diffusion = 0.1,
                                    .pull = 0.2,
                                    .parts = f->parts,
                                    .constants = f->constants,
                                    .every = 1};
    f->v->pack[f->type](&f->step, edge, edge);
}

static void done(struct field *f)
{
    free(f->memory);
    free(f->parts);
    free(f->constants);
}

/* The new rows; what the loop does not write stays 0x55. */
static void run(const struct field *f, size_t first, size_t last, char *out)
{
    const size_t bytes = ROWS * f->layout.row_bytes;

    memset(f->step.to, 0x55, bytes);
    f->v->fn[AM_MGVF_BY_LANES][f->type](&f->step, first, last);
    memcpy(out, f->step.to, bytes);
}

static void add(const struct field *f, char *at, size_t bytes, double x)
{
    for (size_t i = 0; f->type == AM_MGVF_F32 && i < bytes / sizeof(float); i++)
        ((float *)(void *)at)[i] += (float)x;
    for (size_t i = 0; f->type == AM_MGVF_F64 && i < bytes / sizeof(double); i++)
        ((double *)(void *)at)[i] += x;
}

/* Whether the new rows are others when a line is: higher or lower. */
static bool matters(const struct field *f, size_t first, size_t last, char *at, size_t bytes,
                    const char *want)
{
    static char got[OUT_BYTES];
    char kept[LINE];
    bool differs = false;

    memcpy(kept, at, bytes);
    for (int way = 0; way < 2; way++) {
        add(f, at, bytes, way ? 3 : -3);
        run(f, first, last, got);
        differs = differs || memcmp(got, want, ROWS * f->layout.row_bytes) != 0;
        memcpy(at, kept, bytes);
    }
    return differs;
}

/* Lines of a row that begins at `at`. Counts those of which walk and loop say the same. */
static size_t same_reads(const struct field *f, const struct lines *l, size_t first, size_t last,
                         size_t row_at, size_t row_bytes, const char *want)
{
    size_t same = 0;

    for (size_t k = 0; k < row_bytes; k += LINE) {
        char *const at = f->memory + row_at + k;
        const size_t bytes = row_bytes - k < LINE ? row_bytes - k : LINE;

        same += (l->reads[line_of(f, at)] > 0) == matters(f, first, last, at, bytes, want);
    }
    return same;
}

static bool is_written(const struct field *f, const char *out, size_t row, size_t k)
{
    const size_t bytes = f->layout.row_bytes;

    for (size_t i = k; i < bytes && i < k + LINE; i++) {
        if (out[row * bytes + i] != 0x55)
            return true;
    }
    return false;
}

static void check_rows(const struct field *f, size_t first, size_t last)
{
    static char want[OUT_BYTES];
    const size_t bytes = f->layout.row_bytes;
    struct lines l = {.f = f};
    const struct am_leuko_touch touch = {read_line, write_line, &l};
    size_t same = 0, of = 0, written = 0;

    am_leuko_walk_rows(&f->step, &f->layout, first, last, &touch);
    run(f, first, last, want);
    for (size_t row = 0; row < ROWS; row++) {
        same += same_reads(f, &l, first, last, 2 * row * bytes, 2 * bytes, want);
        same += same_reads(f, &l, first, last, ((size_t)2 * ROWS + row) * bytes, bytes, want);
        of += (2 * bytes + LINE - 1) / LINE + per_row(f);
        for (size_t k = 0; k < bytes; k += LINE)
            written += (l.writes[line_of(f, (char *)f->step.to + row * bytes + k)] == 1) ==
                       is_written(f, want, row, k);
    }
    ok(same == of && written == ROWS * per_row(f),
       "%s %s %zu columns: rows %zu to %zu, %zu of %zu lines read and %zu of %zu written as the "
       "loop does",
       f->v->isa, am_mgvf_types[f->type], f->step.columns, first, last, same, of, written,
       ROWS * per_row(f));
}

int main(void)
{
    static const size_t columns[] = {81, 66};
    struct am_rng rng;

    am_rng_seed(&rng, 13, 1);
    for (size_t i = 0; am_isa_names[i]; i++) {
        for (size_t k = 0; k < (size_t)2 * AM_MGVF_TYPES && !am_isa_why_not(am_isa_names[i]); k++) {
            struct field f = {.v = am_mgvf_find(am_isa_names[i]),
                              .type = (enum am_mgvf_type)(k / 2)};

            make(&f, columns[k % 2], &rng);
            check_rows(&f, 0, f.v->block);
            check_rows(&f, f.v->block, 2 * f.v->block);
            check_rows(&f, 2 * f.v->block, ROWS);
            check_rows(&f, 0, ROWS);
            done(&f);
        }
    }
    return tap_done();
}
