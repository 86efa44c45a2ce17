/* SPDX-License-Identifier: MIT */
/* Planted errors: for every OpenCL bench a kernel that drops turns, skips elements or does half of
 * its operations, and a device's clock of another speed. None of them may pass for a result. */
#include "between.h"

#include "ocl_fixture.h"

enum {
    LENGTHS = 6, /* of batches, each twice the last, until a wrong clock must be noticed */
};

/* `from` of the source becomes `to`. */
struct mutation {
    const struct point *point;
    const char *what, *from, *to;
};

#define DROPPED "turns dropped"
#define HALVED "half of the operations dropped"
#define SKIPPED "elements skipped"
#define COMBINED "steps combined"

static const struct mutation mutations[] = {
    {&arith_fma, DROPPED, "i < loops; i++", "i < loops; i += 4"},
    {&arith_fma, HALVED, "#define SECOND(x, y) x = FUSED(x, q, r);", "#define SECOND(x, y)"},
    {&arith_fma, SKIPPED, "out[id] = sum;", "if (id % 16 != 6) out[id] = sum;"},
    {&arith_fma, COMBINED,
     "#define FIRST(x, y) x = FUSED(x, p, r);\n#define SECOND(x, y) x = FUSED(x, q, r);",
     "#define FIRST(x, y)\n#define SECOND(x, y) x = fma(x, p * q, fma(r, q, r));"},
    {&arith_add, COMBINED, "#define FIRST(x, y) x = x + p;\n#define SECOND(x, y) x = x + q;",
     "#define FIRST(x, y)\n#define SECOND(x, y) x = x + (p + q);"},
    {&arith_sub, COMBINED, "#define FIRST(x, y) x = p - x;\n#define SECOND(x, y) x = q - x;",
     "#define FIRST(x, y)\n#define SECOND(x, y) x = x + (q - p);"},
    {&arith_mul, COMBINED, "#define FIRST(x, y) x = x * p;\n#define SECOND(x, y) x = x * q;",
     "#define FIRST(x, y)\n#define SECOND(x, y) x = x * (p * q);"},
    {&builtin, DROPPED, "i <= turns; i++", "i <= turns; i += 4"},
    {&builtin, HALVED, "        STEP(1)\n", "\n"},
    {&builtin, SKIPPED, "out[get_global_id(0)] = TO_BITS(x0)",
     "if (get_global_id(0) % 16 != 15) out[get_global_id(0)] = TO_BITS(x0)"},
    {&branch, DROPPED, "i < turns; i++", "i < turns; i += 4"},
    {&branch, HALVED, "STEPS16(k) STEPS4(k) STEPS4(k) STEPS4(k) STEPS4(k)",
     "STEPS16(k) STEPS4(k) STEPS4(k)"},
    {&branch, SKIPPED, "out[get_global_id(0)] = END;",
     "if (get_global_id(0) % 16 != 3) out[get_global_id(0)] = END;"},
    {&constant, DROPPED, "i < turns; i++", "i < turns; i += 4"},
    {&constant, HALVED, "READS4 READS4 READS4 READS4", "READS4 READS4"},
    {&constant, SKIPPED, "out[get_global_id(0)] = at;",
     "if (get_global_id(0) % 16 != 3) out[get_global_id(0)] = at;"},
    {&image_read, DROPPED, "i < turns; i++", "i < turns; i += 4"},
    {&image_read, HALVED, "sum += read_imagef", "if (i & 1u) sum += read_imagef"},
    {&image_read, SKIPPED, "out[am_place()] =", "if (am_place() % 16 != 3) out[am_place()] ="},
    {&image_write, DROPPED, "i < turns; i++", "i < turns; i += 4"},
    {&image_write, "turns dropped, but the last", "write_imagef(image, here,",
     "if ((i & 3u) == 2u) write_imagef(image, here,"},
    {&image_write, HALVED, "write_imagef(image, here,", "if (x & 1) write_imagef(image, here,"},
    {&image_write, SKIPPED, "write_imagef(image, here,",
     "if (x != 5 || y != 3) write_imagef(image, here,"},
    {&global_read, HALVED, "j < COUNT; j++", "j < COUNT; j += 2"},
    {&global_read, SKIPPED, "sum += data[", "if (g % 64 != 5) sum += data["},
    {&global_write, HALVED, "j < COUNT; j++", "j < COUNT; j += 2"},
    {&global_write, SKIPPED, "data[i] = (ELEMENT)", "if (i % 64 != 5) data[i] = (ELEMENT)"},
    {&global_copy, HALVED, "j < COUNT; j++", "j < COUNT; j += 2"},
    {&global_copy, SKIPPED, "copy[i] = ", "if (i % 64 != 5) copy[i] = "},
    {&global_copy, "not read", "copy[i] = data[i] ^", "copy[i] = data[i & ~1u] ^"},
    {&cache_read, SKIPPED, "sum += data[", "if (g % 64 != 5) sum += data["},
    {&local_read, DROPPED, "t < turns; t++", "t < turns; t += 4"},
    {&local_read, HALVED, "ACCESS16(f) ACCESS4(f, 0) ACCESS4(f, 1) ACCESS4(f, 2) ACCESS4(f, 3)",
     "ACCESS16(f) ACCESS4(f, 0) ACCESS4(f, 1)"},
    {&local_read, SKIPPED,
     "out[get_global_id(0)] =", "if (get_global_id(0) % 8 != 3) out[get_global_id(0)] ="},
    {&local_write, DROPPED, "t < own; t++", "t < own; t += 4"},
    {&local_write, "turns dropped, but the places of all visited", "to[(i)*HOP] = value;",
     "if ((t & 3u) == 2u) to[(i)*HOP] = value;"},
    {&local_write, HALVED, "ACCESS16(f) ACCESS4(f, 0) ACCESS4(f, 1) ACCESS4(f, 2) ACCESS4(f, 3)",
     "ACCESS16(f) ACCESS4(f, 0) ACCESS4(f, 1)"},
    {&local_write, SKIPPED, "to[(i)*HOP] = value;", "if ((i) != 7) to[(i)*HOP] = value;"},
    {&scale, HALVED, "i < end; i++", "i < end; i += 2"},
    {&scale, SKIPPED, "c[i] = a[i] + b[i];", "if (i % 64 != 5) c[i] = a[i] + b[i];"},
    {&intensity, HALVED, "k < STEPS;", "k < STEPS / 2;"},
    {&intensity, "elements left out", "j < EACH; j += 4", "j < EACH; j += 8"},
    {&intensity, COMBINED, "NEXT(x) x = fma(x, times, plus);\n#define STEP NEXT(x0)",
     "NEXT(x) x = fma(x, times * times, fma(plus, times, plus));\n#define STEP k++; NEXT(x0)"},
    {&intensity, SKIPPED,
     "out[get_global_id(0)] =", "if (get_global_id(0) % 8 != 3) out[get_global_id(0)] ="},
    {&intensity_double, HALVED, "x = fma(x, times, plus);", ""},
    {&intensity_double, "half of an element not read", "HALF((e).lo) | HALF((e).hi)",
     "HALF((e).lo)"},
    {&latency, DROPPED, "t < turns; t++", "t < turns; t += 4"},
    {&latency, HALVED, "LOADS16 LOADS4 LOADS4 LOADS4 LOADS4", "LOADS16 LOADS4 LOADS4"},
    {&latency, SKIPPED, "buffer[i * words] = ",
     "if (i % 64 == 5) buffer[i * words] = (ulong)buffer; else buffer[i * words] = "},
    {&latency_local, DROPPED, "t < turns; t++", "t < turns; t += 4"},
    {&latency_local, HALVED, "STEPS4 STEPS4 STEPS4 STEPS4", "STEPS4 STEPS4"},
    {&overlap, "the last turn dropped", "i < turns; i++",
     "i + 1 < turns; i++"}, /* there may be one */
    {&overlap, SKIPPED,
     "out[get_global_id(0)] =", "if (get_global_id(0) % 4 != 3) out[get_global_id(0)] ="},
    {&atomic_one, DROPPED, "i < turns; i++", "i < turns; i += 4"},
    {&atomic_one, HALVED, "    atomic_add(p, by); \\\n    atomic_add(p, by);\n", "\n"},
    {&atomic_one, SKIPPED, "ADD4(own)", "if (get_global_id(0) % 64 != 5) { ADD4(own) }"},
    {&atomic_chain, HALVED, "CHAIN CHAIN CHAIN CHAIN", "CHAIN CHAIN"},
    {&atomic_local, DROPPED, "i < turns; i++", "i < turns; i += 4"},
    {&atomic_local, SKIPPED, "ADD4(&area[at])", "if (at % 64 != 5) { ADD4(&area[at]) }"},
    {&barriers, DROPPED, "i < turns; i++", "i < turns; i += 4"},
    {&barriers, "no value handed on", "ring[i & 1u][next] = x;", "ring[i & 1u][own] = x;"},
    {&barriers, SKIPPED, "ring[i & 1u][next] = x;", "if (own != 5u) ring[i & 1u][next] = x;"},
    {&reduce, DROPPED, "i < turns; i++", "i < turns; i += 4"},
    {&reduce, HALVED, "s = LANES / 2", "s = LANES / 4"},
    {&reduce, SKIPPED,
     "out[get_global_id(0)] =", "if (get_global_id(0) % 64 != 5) out[get_global_id(0)] ="},
    {&scan, HALVED, "s < LANES; s *= 2", "s < LANES / 2; s *= 2"},
    {&exchange, "no value handed on", "area[own ^ 1u]", "area[own]"},
    {&dot_plain, DROPPED, "i < turns; i++", "i < turns; i += 4"},
    {&dot_plain, HALVED, "r < ROWS; r++)\n                ADD_DOT",
     "r < ROWS; r += 2)\n                ADD_DOT"},
    {&dot_plain, "products of three bytes",
     "BYTE(x, 2) * BYTE(y, 2) + \\\n                  BYTE(x, 3) * BYTE(y, 3)",
     "BYTE(x, 2) * BYTE(y, 2)"},
    {&dot_plain, "operands that do not change", "y[c] += step[c];", ""},
    {&dot_plain, SKIPPED,
     "out[get_global_id(0)] =", "if (get_global_id(0) % 4 != 3) out[get_global_id(0)] ="},
    {&svm_buffer, SKIPPED, "data[i] =", "if (i % 64 != 5) data[i] ="},
    {&svm_coarse, HALVED, "data[i] =", "if (i & 1) data[i] ="},
    {&svm_coarse, "another rule", "+ 1u", "+ 2u"},
    {&svm_fine, "nothing done", "data[i] =", "if (factor == 0) data[i] ="},
    {&launch, "another value", "value ^ (uint)(SALT)", "value"},
    {&launch, "nothing done", "get_global_id(0) == 0", "get_global_id(0) == 1"},
};

static void check_mutation(const struct mutation *m, const char *device, const struct am_ctx *ctx)
{
    struct am_err err = {0};
    enum am_status s;

    memset(&between, 0, sizeof(between));
    between.from = m->from;
    between.to = m->to;
    s = measure(m->point, device, ctx, 1, &err);
    if (s == AM_E_ABSENT)
        skip_test(err.text);
    else
        ok(s == AM_E_WRONG && between.replaced > 0 && !strstr(err.text, "building"),
           "%s %s, %s: %s (%u places)", m->point->bench->name, m->point->words, m->what,
           s == AM_OK ? "not noticed" : err.text, between.replaced);
    memset(&between, 0, sizeof(between));
}

/* What stands in a note. */
struct heard {
    const char *key;
    char text[128];
};

static void hear(void *self, const char *key, const char *text)
{
    struct heard *const heard = self;

    if (strcmp(key, heard->key) == 0)
        (void)snprintf(heard->text, sizeof(heard->text), "%s", text);
}

/* a*b+c may be rounded once or twice, so combined steps of it are not seen by their results: the
 * rival is slower then, and counts. */
static void check_rival(const char *device, const struct am_ctx *outer)
{
    static const char *const ends[2] = {"as long", "the rival counts"};

    for (int combined = 0; combined < 2; combined++) {
        struct heard heard = {.key = "rival"};
        struct am_ctx ctx = *outer;
        struct am_err err = {0};
        enum am_status s;

        memset(&between, 0, sizeof(between));
        if (combined) { /* a 16th of the work: on any machine the difference is seen */
            between.from = "#define STEPS256 STEPS128 STEPS128";
            between.to = "#ifdef QUADRATIC\n#define STEPS256 STEPS128 STEPS128\n#else\n"
                         "#define STEPS256 STEPS16\n#endif\n";
        }
        ctx.note = hear;
        ctx.said_self = &heard;
        s = measure(&(struct point){&am_bench_ocl_arith,
                                    "muladd float 1 1 affine throughput 64 32 auto", 1, false},
                    device, &ctx, 1, &err);
        /* on a busy machine an honest rival may lose too, which does no harm: it counts as well */
        ok(strstr(heard.text, ends[combined]) && s == AM_OK, "muladd %s: the rival takes %s %s",
           combined ? "with combined steps" : "as it is", heard.text, err.text);
    }
    memset(&between, 0, sizeof(between));
}

/* The same point as it is, and by a clock that is twice or half as fast. */
static void check_clock(const struct point *p, const double *speeds, size_t n, const char *device,
                        const struct am_ctx *ctx)
{
    const unsigned lengths = n == 1 ? 1 : LENGTHS;

    for (size_t i = 0; i < n; i++) {
        const bool good = !(speeds[i] > 0);
        struct am_err err = {0};
        enum am_status s;

        memset(&between, 0, sizeof(between));
        between.clock = speeds[i];
        s = measure(p, device, ctx, lengths, &err);
        if (s == AM_E_ABSENT) {
            skip_test(err.text);
            break;
        }
        ok(good ? s == AM_OK : s == AM_E_WRONG && strstr(err.text, "events say"),
           "%s %s, %s %g: %s", p->bench->name, p->words, good ? "as it is" : "a clock of speed",
           speeds[i], s == AM_OK ? "believed" : err.text);
    }
    memset(&between, 0, sizeof(between));
}

/* A clock that runs ahead of the host's is accused at once, one that lags only after half a second
 * of work on all cores: that is done where times are taken in different ways. */
static void check_clocks(const char *device, const struct am_ctx *ctx)
{
    static const double both[] = {0, 0.5, 0.9, 2}, ahead[] = {0, 2};

    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
        const struct point *const p = points[i];

        if (p == &arith_fma || p == &latency)
            check_clock(p, both, 4, device, ctx);
        else
            check_clock(p, ahead, p->host_timed || p->bench == &am_bench_ocl_arith ? 1 : 2, device,
                        ctx);
    }
}

/* Transfers that do not arrive, or not all of them. */
static void check_transfer(const struct point *p, const char *device, const struct am_ctx *ctx)
{
    for (int drops = 0; drops < 2; drops++) {
        struct am_err err = {0};
        enum am_status s;

        memset(&between, 0, sizeof(between));
        between.drops = drops;
        between.short_by = 64;
        s = measure(p, device, ctx, 1, &err);
        ok(s == AM_E_WRONG && strstr(err.text, "did not arrive"), "%s %s, %s: %s", p->bench->name,
           p->words, drops ? "transfers dropped" : "their end missing",
           s == AM_OK ? "not noticed" : err.text);
    }
    memset(&between, 0, sizeof(between));
}

int main(void)
{
    const char *const device = usable_device();
    int cpus[2];
    struct am_clock clock;
    struct am_ctx ctx = {
        .cpus = cpus, .seed = 12345, .memory_limit_bytes = BX_LIMIT_BYTES, .clock = &clock};

    if (!device) {
        printf("1..0 # SKIP no OpenCL device\n");
        return 0;
    }
    ctx.cpu_count = bx_cpus(cpus, 2);
    am_clock_init(&clock);
    check_clocks(device, &ctx);
    for (size_t i = 0; i < sizeof(mutations) / sizeof(mutations[0]); i++)
        check_mutation(&mutations[i], device, &ctx);
    check_rival(device, &ctx);
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
        if (transfers(points[i]))
            check_transfer(points[i], device, &ctx);
    }
    return tap_done();
}
