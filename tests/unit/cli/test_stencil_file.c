/* SPDX-License-Identifier: MIT */
/* Descriptions of stencils: what is read, what is refused and where, and the C that is made of it.
 */
#include "cli/stencil/description.h"
#include "cli/stencil/emit.h"
#include "cli/stencil/emit_fold.h"
#include "cli/stencil/emit_wave.h"
#include "cli/stencil/weights.h"
#include "tap.h"

#include <stdlib.h>

#define SOLID "stencil s\ndimensions 3\nfield u\nboundary fixed\n"
#define HEAD "stencil s\ndimensions 2\nfield u\nboundary periodic\n"

static void check_refused(const char *text, const char *story)
{
    struct am_arena arena = {0};
    struct am_description d;
    struct am_err err = {0};
    const enum am_status s = am_description_parse("f", text, &arena, &d, &err);

    ok(s == AM_E_USAGE && strstr(err.text, story) && strncmp(err.text, "f:", 2) == 0, "refused: %s",
       err.text);
    am_arena_fini(&arena);
}

static void test_refused(void)
{
    static const struct {
        const char *text, *story;
    } cases[] = {
        {"", "f:1: \"f\" has no line \"stencil NAME\""},
        {"stencl s\n", "f:1:1: \"stencl\" is no word of a description; did you mean \"stencil\"?"},
        {"stencil 2d\n", "f:1:9: \"2d\" is no name"},
        {"stencil s\nstencil t\n", "f:2:9: \"t\" is a second name"},
        {"stencil s\ndimensions 4\n", "f:2:12: \"4\" is no number of dimensions: 1, 2 or 3"},
        {"stencil s\ndimensions 2 3\n", "\"3\" is too much on this line"},
        {"stencil s\nfield u\nfield u\n", "f:3:7: \"u\" is defined already"},
        {"stencil s\nfield u sart 1\n", "did you mean \"start\"?"},
        {"stencil s\nfield u start x\n", "\"x\" is no number"},
        {"stencil s\nparameter r 0x10\n", "f:2:13: \"0x10\" is no number"},
        {"stencil s\nparameter r\n",
         "f:2:12: a word is missing at the end of the line; it reads parameter NAME NUMBER"},
        {HEAD "boundary y\n", "it reads boundary [x, y or z] periodic, fixed [NUMBER] or mirror"},
        {"stencil s\nboundary perodic\n", "did you mean \"periodic\"?"},
        {"stencil s\nboundary w fixed\n",
         "f:2:10: \"w\" is no boundary (periodic, fixed, mirror; x, y or z"},
        {"stencil s\nfield u\nupdate u = u\n", "the line \"dimensions\" belongs before it"},
        {HEAD, "has no line \"update FIELD = ...\""},
        {"stencil s\ndimensions 1\nfield u\nupdate u = u\n", "has no line \"boundary\""},
        {HEAD "field v\nupdate u = u\n", "f:5: \"v\" is never updated"},
        {HEAD "update u = u\nupdate u = u\n", "f:6:8: \"u\" is updated twice"},
        {HEAD "update w = u\n", "f:5:8: \"w\" is no field"},
        {HEAD "update u := u\n", "should be ="},
        {HEAD "update u = v\n", "f:5:12: \"v\" is no field, coefficient or parameter"},
        {HEAD "update u = u + # more\n", "f:5:15: no number, name or bracket at the end"},
        {HEAD "update u = (u\n", ") is missing"},
        {HEAD "update u = u u\n", "f:5:14: +, -, * or / is missing at"},
        {HEAD "update u = u + u)\n", "f:5:17: no ( belongs to this ) at \")\""},
        {HEAD "update u = u ^ 2\n", "f:5:14: there are no powers (write u * u) at \"^\""},
        {HEAD "update u = (u ^2)\n", "f:5:15: there are no powers (write u * u) at \"^2)\""},
        {HEAD "update u = u ** 2\n", "f:5:15: there are no powers (write u * u) at \"*\""},
        {HEAD "update u = u * * 2\n", "f:5:16: no number, name or bracket at \"*\""},
        {HEAD "update u = u /(-0.0e3) + u\n", "f:5:15: no division by 0 at \"(-0.0e3)\""},
        {HEAD "update u = u / 0x1\n",
         "f:5:16: letters in a number (it is decimal; write * before a name) at \"0x1\""},
        {HEAD "update u = 2u + 1\n", "f:5:12: letters in a number"},
        {HEAD "update u = u + sin(u)\n",
         "f:5:19: +, -, * or / is missing (neighbours are written u[1], and there are no functions)"},
        {HEAD "update u = u[1]\n",
         "f:5:15: one whole number per dimension, with commas between them, at \"]\""},
        {HEAD "update u = u[1,2,3]\n", "one whole number per dimension, then ], at"},
        {HEAD "update u = u[9,0]\n", "no whole number from -8 to 8"},
        {HEAD "update u = u.old\n", "now, before or new"},
        {HEAD "update u = u.befor\n", "f:5:14: did you mean \"before\"?"},

        {HEAD "update u = u + # on\n   (u -\n  q)\n", "f:7:3: \"q\" is no field"},
        {HEAD "update u = u + (\n   u u)\n", "f:6:6: +, -, *, / or ) is missing at \"u)\""},
        {HEAD "update u = u.new\n", "is not made yet"},
        {HEAD "update u = u.before[1,0]\n", "at its own point only"},
        {HEAD "field v\nupdate u = u\nupdate v = u.before\n", "for its own update only"},
        {HEAD "parameter r 1\nupdate u = r[1,0]\n", "is one number everywhere"},
        {HEAD "coefficient k\nupdate u = k.before\n", "does not change with time"},
        {HEAD "update u = 1.2.3\n", "no number"},
        {HEAD "update u = (2 * sin(u))\n", "f:5:20: +, -, * or / is missing (neighbours are"},
        {HEAD "update u = u(1,0)\n",
         "f:5:13: +, -, * or / is missing (neighbours are written u[1]"},
        {HEAD "update u = u[0.5,0]\n", "f:5:15: one whole number per dimension"},
        {HEAD "update u = u[1,0].before\n", "f:5:18: .before and .new stand before [...]"},
        {HEAD "parameter r 1\nupdate r = u\n", "f:6:8: \"r\" is no field: nothing else is updated"},
        {HEAD "update u= u\n", "f:5:8: \"u=\" is no field: blanks belong around ="},
        {"stencil s\ndimensions 2\nfield u\nboundary x fixed\nupdate u = u\n",
         "\"s\" has no line \"boundary\" for y"},
        {HEAD "boundary z mirror\nupdate u = u\n", "f:5: \"z\" is no dimension of this stencil"},
        {"stencil s\ndimensions 2\nfield u\nboundary z fixed\nupdate u = 2 * u\n",
         "f:4: \"z\" is no dimension of this stencil; did you mean \"y\"?"},
        {"stencil s\nboundary y fixed\ndimensions 1\nfield u\nupdate u = 2 * u\n",
         "f:2: \"y\" is no dimension of this stencil; did you mean \"x\"?"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        check_refused(cases[i].text, cases[i].story);
}

/* Names that the languages, or macros of theirs, use themselves. */
static void test_taken(void)
{
    static const struct {
        const char *text, *story;
    } cases[] = {
        {"stencil s\nparameter half 1\n", "f:2:11: \"half\" has a meaning of its own"},
        {"stencil s\nfield linux\n", "has a meaning of its own"},
        {"stencil s\nfield class\n", "f:2:7: \"class\" has a meaning of its own"},
        {"stencil INTEGERS\n", "generated code uses itself"},
        {"stencil while\n", "has a meaning of its own"},
        {"stencil a__b\n", "generated code uses itself"},
        {"stencil s\nparameter CHAR_BIT 1\n", "f:2:11: \"CHAR_BIT\" has a meaning of its own"},
        {"stencil s\nparameter M_LN2 1\n", "has a meaning of its own"},
        {"stencil s\nparameter FLT_EPSILON 1\n", "has a meaning of its own"},
        {"stencil s\nparameter read_only 1\n", "has a meaning of its own"},
        {"stencil s\nfield size_t\n", "has a meaning of its own"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        check_refused(cases[i].text, cases[i].story);
}

/* Lines that are well formed, and mean nothing or two things. */
static void test_nonsense(void)
{
    static const struct {
        const char *text, *story;
    } cases[] = {
        {HEAD "update u = 3\n", "f:5:8: \"u\" would be the same after every step"},
        {HEAD "parameter r 1\nupdate u = 2 * r + 1\n", "its formula has no field in it"},
        {HEAD "coefficient k\nupdate u = k + k[1,0]\n", "its formula has no field in it"},
        {HEAD "field v\nupdate u = v + 1\nupdate v = 3\n", "f:7:8: \"v\" would be the same"},
        {HEAD "update u = u[1,0]\n", "f:5: \"s\" calculates nothing"},
        {HEAD "coefficient k\nupdate u = 2 * u\n", "f:5: \"k\" is used by no formula"},
        {HEAD "boundary fixed\nupdate u = 2 * u\n", "f:5:10: \"boundary\" comes too late"},
        {HEAD "boundary x fixed\nboundary x mirror\n", "f:6:10: \"x\" has a boundary already"},
        {"stencil s\nfield u start 1 start 2\n", "f:2:17: \"start\" is said twice"},
        {HEAD "update = u\n", "f:5:8: \"=\" stands where a field belongs"},
        {"stencil s\rdimensions 2\n", "f:1:9: \"s\rdimensions\" is no name"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        check_refused(cases[i].text, cases[i].story);
}

/* Brackets as deep, and signs as many, as nobody writes. */
static void test_bounds(void)
{
    enum { MANY = 5000 };
    static const char *const parts[] = {"(", "-", "u+"};

    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        struct am_arena arena = {0};
        struct am_description d;
        struct am_err err = {0};
        struct am_text text;

        am_text_init(&text, 1 << 20);
        am_text_add(&text, HEAD "update u = ");
        for (int k = 0; k < MANY; k++)
            am_text_add(&text, parts[i]);
        am_text_add(&text, "u\n");
        ok(am_description_parse("f", am_text_str(&text), &arena, &d, &err) == AM_E_USAGE,
           "%d times \"%s\" are refused: %s", MANY, parts[i], err.text);
        am_text_fini(&text);
        am_arena_fini(&arena);
    }
}

static void test_read(void)
{
    static const char text[] =
        "# a comment\nstencil pair\n\ndimensions 3 # three\nfield u start 1 "
        "noise 0.5\nfield v\ncoefficient k\nparameter r -2.5e-1\nboundary "
        "periodic\nboundary z dirichlet 4\nboundary y neumann\n"
        "update u = 2*u - u.before + r * (u[-2,0,0]\n   + u[0,3,0]) / k[0,0,1]\n"
        "update v = -v + (u.new - (v - 1)) * (2 - r * 4)\n";
    struct am_arena arena = {0};
    struct am_description d;
    struct am_err err = {0};

    ok(am_description_parse("f", text, &arena, &d, &err) == AM_OK, "a description is read %s",
       err.text);
    ok(d.dimensions == 3 && d.fields.n == 2 && d.coefficients.n == 1 && d.parameters.n == 1,
       "with all its names");
    ok(d.boundary[0] == AM_BOUNDARY_PERIODIC && d.boundary[1] == AM_BOUNDARY_MIRROR &&
           d.boundary[2] == AM_BOUNDARY_FIXED && fabs(d.boundary_value[2] - 4) < 1e-15,
       "a boundary per dimension");
    ok(d.n_updates == 2 && d.radius == 3 && d.second, "two updates, radius 3, two levels of time");
    ok(d.flops == 10, "ten operations that depend on the point: %u", d.flops);
    ok(fabs(d.parameters.items[0].value + 0.25) < 1e-15 &&
           fabs(d.fields.items[0].noise - 0.5) < 1e-15,
       "numbers as they are written");
    am_arena_fini(&arena);
}

/* What editors put into a file besides its lines. */
static void test_editors(void)
{
    static const char *const texts[] = {
        "\xef\xbb\xbf" HEAD "update u = 2 * u\n",
        "stencil s\r\ndimensions 2\r\nfield u # one\r\nboundary mirror\r\nupdate u = 2 *\r\n\tu\r\n",
        "\tstencil\ts\ndimensions\t2\nfield\tu\t\nboundary\tmirror\nupdate\tu\t=\t2*u",
        "# gr\xc3\xbc\xc3\x9f"
        "e, and latin-1 \xfc\n" HEAD "update u = 2 * u\n",
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        struct am_arena arena = {0};
        struct am_description d;
        struct am_err err = {0};

        ok(am_description_parse("f", texts[i], &arena, &d, &err) == AM_OK && d.flops == 1,
           "a mark, ends of lines, tabs and letters in comments are read: %zu %s", i, err.text);
        am_arena_fini(&arena);
    }
}

/* The order of operations in the C is that of the formula. */
static void test_formulas(void)
{
    static const struct {
        const char *formula, *c;
    } cases[] = {
        {"u - (u[1,0] - 2)", "u__y0z0[x] - (u__y0z0[x + 1] - (double)2);"},
        {"u - u[0,1] - 2", "u__y0z0[x] - u__y1z0[x] - (double)2;"},
        {"(u + 1) * r / (r * 2)", "(u__y0z0[x] + (double)1) * r / (r * (double)2);"},
        {"-(u + r)", "-(u__y0z0[x] + r);"},
        {"r * -u[-1,-2]", "r * -u__ym2z0[x - 1];"},
        {"2 * u - u.before", "(double)2 * u__y0z0[x] - u__to_y0z0[x];"},
        {"r - (u / r)", "r - u__y0z0[x] / r;"},
        {"0017 * u + 00", "(double)17 * u__y0z0[x] + (double)0;"}, /* not octal */
        {"u / 99999999999999999999", "u__y0z0[x] / (double)99999999999999999999.;"},
        {"007.5 * u + 09e0", "(double)007.5 * u__y0z0[x] + (double)09e0;"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct am_arena arena = {0};
        const char *const text =
            am_arena_printf(&arena, HEAD "parameter r 1\nupdate u = %s\n", cases[i].formula);
        const struct am_emit_shape shape = {8, 16, 1, 4, AM_EMIT_ALL};
        struct am_description d;
        struct am_err err = {0};
        struct am_text out;

        am_text_init(&out, AM_EMIT_MAX);
        ok(am_description_parse("f", text, &arena, &d, &err) == AM_OK &&
               am_emit_kernel(&d, AM_EMIT_F64, &shape, &out, &err) == AM_OK &&
               strstr(am_text_str(&out), cases[i].c),
           "%s is written as %s %s", cases[i].formula, cases[i].c, err.text);
        am_text_fini(&out);
        am_arena_fini(&arena);
    }
}

/* Which formulas are sums of weighted neighbours, and their weights. */
static void test_weights(void)
{
    static const struct {
        const char *rest;
        size_t n, values;
        const char *first;
    } cases[] = {
        {"update u = u + r * (u[1,0] + u[-1,0] - 4 * u)\n", 3, 2, "1 + -((r)) * ((REAL)4)"},
        {"update u = (u[0,1] - 2 * u[1,0]) / 4\n", 2, 2, "1 / ((REAL)4)"},
        {"update u = -u * (r + 1)\n", 1, 1, "-((r + (REAL)1))"},
        {"update u = u * r * 2 - r * 2 * u\n", 1, 1, NULL},
        {"update u = u + 1\n", 0, 0, NULL},
        {"update u = u * u\n", 0, 0, NULL},
        {"update u = 1 / u\n", 0, 0, NULL},
        {"update u = u[1,1] + 0 * u\n", 2, 2, "1"},
        {"update u = 2 * u - u.before + r * u[0,1]\n", 2, 3, "((REAL)2)"},
        {"coefficient k\nupdate u = k * u\n", 0, 0, NULL},
        {"field v\nupdate u = 2 * u\nupdate v = v\n", 0, 0, NULL},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct am_arena arena = {0};
        const char *const text = am_arena_printf(&arena, HEAD "parameter r 1\n%s", cases[i].rest);
        struct am_weights w = {.n = 0};
        struct am_description d;
        struct am_err err = {0};
        const bool read = am_description_parse("f", text, &arena, &d, &err) == AM_OK;
        const bool found = read && am_weights_find(&d, &w);

        ok(read && found == (cases[i].n > 0) && (!found || w.n == cases[i].n) &&
               (!found || w.n_values == cases[i].values) &&
               (!cases[i].first || strcmp(w.values[0], cases[i].first) == 0),
           "formula %zu: %zu weights, %s %s", i, found ? w.n : 0, found ? w.values[0] : "none",
           err.text);
        am_arena_fini(&arena);
    }
}

/* Which descriptions are stepped by waves, be it by weights or by their formulas. */
static void test_waves(void)
{
    static const struct {
        const char *text;
        bool waves;
    } cases[] = {
        {HEAD "update u = u * u + 1\n", true},
        {HEAD "coefficient k\nupdate u = k * u[0,1]\n", true},
        {HEAD "field v\nupdate u = v\nupdate v = u.new[1,0] / v\n", true},
        {"stencil s\ndimensions 1\nfield u\nboundary periodic\nupdate u = u + u[1]\n", true},
        {"stencil s\ndimensions 1\nfield u\nboundary fixed\nupdate u = u + u[1]\n", false},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct am_arena arena = {0};
        struct am_description d;
        struct am_err err = {0};

        ok(am_description_parse("f", cases[i].text, &arena, &d, &err) == AM_OK &&
               am_emit_has_waves(&d) == cases[i].waves,
           "description %zu %s waves %s", i, cases[i].waves ? "has" : "has no", err.text);
        am_arena_fini(&arena);
    }
}

/* Folds are for what reads fewer rows by them; they come first where waves would make sweeps. */
static void test_folds(void)
{
    static const struct {
        const char *text;
        bool folds;
        enum am_emit_loop first;
    } cases[] = {
        {SOLID "update u = u + u[5,1,-1]\n", false, AM_EMIT_WAVE},
        {SOLID "update u = u + u[0,2,0]\n", true, AM_EMIT_WAVE},
        {SOLID "update u = u + u[0,0,-2]\n", true, AM_EMIT_WAVE},
        {SOLID "update u = u + u[0,0,-4]\n", true, AM_EMIT_WAVE},
        {SOLID "update u = u + u[0,0,-5]\n", true, AM_EMIT_FOLD},
        {SOLID "field v\nupdate u = u + u[8,0,0]\nupdate v = v + u.new[0,2,0]\n", true,
         AM_EMIT_FOLD},
        {HEAD "update u = u + u[0,8]\n", false, AM_EMIT_WAVE},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct am_arena arena = {0};
        struct am_description d;
        struct am_err err = {0};
        const bool read = am_description_parse("f", cases[i].text, &arena, &d, &err) == AM_OK;

        ok(read && am_emit_has_folds(&d) == cases[i].folds &&
               am_emit_first_loop(&d) == cases[i].first,
           "description %zu %s folds %s", i, cases[i].folds ? "has" : "has no", err.text);
        am_arena_fini(&arena);
    }
}

/* What stands for something else is replaced everywhere. */
static void check_whole(const char *text)
{
    static const char *const marks[] = {"NAME", "REAL", "INTEGER", "TYPED", "WIDER", "SIZED", "@"};
    const struct am_emit_shape shape = {8, 16, 1, 4, AM_EMIT_ALL};
    struct am_arena arena = {0};
    struct am_description d;
    struct am_err err = {0};
    struct am_text out;
    bool left = false;

    am_text_init(&out, AM_EMIT_MAX);
    ok(am_description_parse("f", text, &arena, &d, &err) == AM_OK &&
           am_emit_bench(&d, &out, &err) == AM_OK &&
           am_emit_opencl(&d, AM_EMIT_F32, &out, &err) == AM_OK &&
           am_emit_kernel(&d, AM_EMIT_F32, &shape, &out, &err) == AM_OK,
       "a bench, kernels of OpenCL and of C are written: %zu bytes %s", out.len, err.text);
    for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
        left = left || strstr(am_text_str(&out), marks[i]);
    ok(!left, "no word is left that stands for another one");
    ok(strstr(am_text_str(&out), "void s_f32_run(struct s_f32_grid *g"), "functions have its name");
    am_text_fini(&out);
    am_arena_fini(&arena);
}

static void test_whole(void)
{
    check_whole(HEAD "coefficient k\nupdate u = k * u[1,1]\n");
    check_whole(HEAD "field v\nupdate u = v[1,1] * u\nupdate v = u.new[1,0] + 1\n");
    check_whole(HEAD "update u = 2 * u[1,0] + u[0,1]\n");
    check_whole(HEAD "update u = 2 * u[1,1] + u[0,1] - u.before\n");
    check_whole("stencil s\ndimensions 1\nfield u\nboundary periodic\nupdate u = u + u[2]\n");
    check_whole(SOLID "update u = u + u[0,2,0]\n");
}

int main(void)
{
    test_refused();
    test_taken();
    test_nonsense();
    test_bounds();
    test_read();
    test_editors();
    test_formulas();
    test_weights();
    test_waves();
    test_folds();
    test_whole();
    return tap_done();
}
