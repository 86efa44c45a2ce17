/* SPDX-License-Identifier: MIT */
/* Descriptors made from an experiment file. */
#include "bench/exec/tests.h"

#include "base/text.h"
#include "bench/exec/command.h"
#include "bench/exec/cpufreq.h"
#include "bench/exec/marked.h"
#include "bench/exec/measure.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_MAX = 1024 * 1024, FILE_MAX = 8 * 1024 * 1024 };

static enum am_status no_memory(struct am_err *err)
{
    return am_fail(err, AM_E_NOMEM, "no memory for the experiment");
}

static const char *joined_labels(const struct am_spec_axis *axis, struct am_arena *arena)
{
    struct am_text text;
    const char *copy;

    am_text_init(&text, DEFAULT_MAX);
    for (size_t i = 0; i < axis->n; i++)
        am_text_addf(&text, "%s%s", i ? "," : "", axis->labels[i]);
    copy = text.overflow ? NULL : am_arena_strdup(arena, am_text_str(&text));
    am_text_fini(&text);
    return copy;
}

/* A clock that nothing sets must not stand in the results as if it had been. */
static bool mark_unset(struct am_spec_axes *axes, const char *set_cpufreq, struct am_arena *arena)
{
    for (size_t i = axes->n_variables; i < axes->n; i++) {
        struct am_spec_axis *const axis = &axes->items[i];

        if (strcmp(axis->name, "cpufreq") != 0 || set_cpufreq || am_exec_cpufreq_writable(""))
            continue;
        for (size_t k = 0; k < axis->n; k++) {
            if (axis->texts[k])
                axis->labels[k] = am_arena_printf(arena, "%s" AM_EXEC_UNSET, axis->labels[k]);
            if (!axis->labels[k])
                return false;
        }
        axis->numbers = false;
    }
    return true;
}

static const struct am_axis *make_axes(const struct am_exec_test *of, struct am_arena *arena)
{
    struct am_axis *const axes = am_arena_array(arena, of->axes.n + 1, sizeof(*axes));

    for (size_t i = 0; axes && i < of->axes.n; i++) {
        const struct am_spec_axis *const from = &of->axes.items[i];

        axes[i] = (struct am_axis){
            .name = from->name,
            .kind = from->numbers ? AM_AXIS_INT : AM_AXIS_NAME,
            .dflt = from->numbers ? joined_labels(from, arena) : "all",
            .choices = from->numbers ? NULL : from->labels,
            .help = i < of->axes.n_variables ? "a variable of the experiment"
                                             : "a part of the experiment",
        };
        if (!axes[i].dflt)
            return NULL;
    }
    return axes;
}

/* What is measured of every test that asks for it, behind what its program prints. */
static const struct am_metric *make_metrics(const struct am_spec_test *test, struct am_arena *arena)
{
    const struct {
        bool wanted;
        struct am_metric metric;
    } own[] = {
        {true, {AM_SPEC_TIME, "s", AM_LOWER, AM_RULE_OWN, "from the program's start to its end"}},
        {test->iterations != NULL,
         {AM_SPEC_ITERATIONS, "1", AM_HIGHER, AM_RULE_OWN,
          "the weight of the execution, printed by the program"}},
        {test->resources,
         {AM_SPEC_CPU, "s", AM_LOWER, AM_RULE_OWN, "CPU time of all its threads and children"}},
        {test->resources,
         {AM_SPEC_USER, "s", AM_LOWER, AM_RULE_OWN, "CPU time outside of the kernel"}},
        {test->resources, {AM_SPEC_SYSTEM, "s", AM_LOWER, AM_RULE_OWN, "CPU time in the kernel"}},
        {test->resources,
         {AM_SPEC_MEMORY, "B", AM_LOWER, AM_RULE_OWN,
          "most memory resident at once, of its largest process"}},
        {test->beside != NULL,
         {AM_SPEC_TAKEN_RATE, "B/s", AM_HIGHER, AM_RULE_OWN, "moved by what ran beside it"}},
        {test->beside != NULL,
         {AM_SPEC_TAKEN_SHARE, "1", AM_HIGHER, AM_RULE_OWN,
          "CPU time of what ran beside it, of the time there was"}},
        {test->any_code,
         {AM_SPEC_CODE, "1", AM_LOWER, AM_RULE_OWN, "128 and more: ended by a signal"}},
    };
    struct am_metric *const m = am_arena_array(
        arena, test->results.n + AM_EXEC_MARKED_METRICS + AM_SPEC_OWN_RESULTS + 1, sizeof(*m));
    size_t n = 0;

    if (m && test->marked) {
        memcpy(m, am_exec_marked_metrics, sizeof(am_exec_marked_metrics));
        return m;
    }
    for (; m && n < test->results.n; n++) {
        const struct am_spec_result *const r = &test->results.items[n];

        m[n] =
            (struct am_metric){r->name, r->unit, r->better, AM_RULE_OWN, "printed by the program"};
    }
    for (size_t i = 0; m && i < sizeof(own) / sizeof(*own); i++) {
        if (own[i].wanted && !am_spec_prints(test, own[i].metric.name))
            m[n++] = own[i].metric;
    }
    return m;
}

/* ---- what the results mean ---- */

static const uint32_t hash_basis = 0x811c9dc5u, hash_prime = 0x01000193u; /* FNV-1a */

/* The end of a text counts, so that two words are not one. NULL is no text at all. */
static uint32_t hash_text(uint32_t hash, const char *text)
{
    size_t i = 0;

    if (!text)
        return (hash ^ UINT8_MAX) * hash_prime;
    do {
        hash = (hash ^ (uint8_t)text[i]) * hash_prime;
    } while (text[i++]);
    return hash;
}

/* Another command line, or another way to read what it prints, makes other results: such tests do
 * not compare. How the program is built, and where it lies, is what one compares. */
static unsigned version_of(const struct am_spec_test *t)
{
    /* Of a marked program versions are compared, which differ in name and place. */
    uint32_t hash = hash_text(hash_basis, t->marked ? "marked" : t->exec);

    hash = hash_text(hash, t->shell == AM_SPEC_DIRECT  ? NULL
                           : t->shell == AM_SPEC_SHELL ? "shell"
                                                       : "auto");
    for (size_t i = 0; i < t->args.n; i++)
        hash = hash_text(hash, t->args.items[i]);
    for (size_t i = 0; i < t->results.n; i++) {
        const struct am_spec_result *const r = &t->results.items[i];

        hash = hash_text(hash, r->name);
        hash = hash_text(hash, r->unit);
        hash = hash_text(hash, r->better == AM_LOWER ? "lower" : "higher");
        hash = hash_text(hash, r->regex);
    }
    hash = hash_text(hash, t->iterations);
    if (t->prepare) /* of a test without it the number stays what it was before there was any */
        hash = hash_text(hash, t->prepare);
    if (t->printed == AM_SPEC_NONE)
        hash = hash_text(hash, "none");
    return hash >> 1; /* 31 bits: every reader has them */
}

static const char *beside(const char *folder, const char *name, struct am_arena *arena)
{
    const char *const path = am_arena_printf(arena, "%s/%s", folder, name);

    return path && access(path, X_OK) == 0 ? path : NULL;
}

static const struct am_bench *make_bench(const struct am_spec *spec, size_t test,
                                         struct am_arena *arena, struct am_err *err)
{
    const struct am_spec_test *const t = &spec->tests[test];
    struct am_exec_test *const of = am_arena_alloc(arena, sizeof(*of));
    struct am_bench *const b = am_arena_alloc(arena, sizeof(*b));

    if (!of || !b || am_spec_axes_of(spec, test, arena, &of->axes, err) != AM_OK)
        return NULL;
    of->spec = spec;
    of->test = t;
    of->set_cpufreq = beside(spec->folder, "set_cpufreq", arena);
    of->folder = !t->path          ? spec->folder
                 : *t->path == '/' ? t->path
                                   : am_arena_printf(arena, "%s/%s", spec->folder, t->path);
    of->marked = t->marked ? am_exec_marked_new(arena) : NULL;
    if (!of->folder || (t->marked && !of->marked) || !mark_unset(&of->axes, of->set_cpufreq, arena))
        return NULL;
    am_exec_bench_init(b);
    if (of->marked)
        b->points_per_launch = AM_EXEC_MARKED_POINTS;
    b->version = version_of(t);
    b->name = am_arena_printf(arena, "exec.%s", t->name);
    b->summary = am_arena_printf(arena, "the program %s", t->exec);
    b->axes = make_axes(of, arena);
    b->metrics = make_metrics(t, arena);
    b->data = of;
    return b->name && b->summary && b->axes && b->metrics ? b : NULL;
}

static enum am_status read_file(const char *file, struct am_arena *arena, char **text, size_t *len,
                                struct am_err *err)
{
    const int fd = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t n = 1;

    if (fd < 0)
        return am_fail(err, AM_E_SYS, "cannot read the experiment %s", file);
    *text = am_arena_alloc(arena, FILE_MAX);
    for (*len = 0; *text && n > 0 && *len<FILE_MAX; *len += n> 0 ? (size_t)n : 0)
        n = read(fd, *text + *len, FILE_MAX - *len);
    (void)close(fd);
    if (!*text)
        return no_memory(err);
    return n < 0 ? am_fail(err, AM_E_SYS, "cannot read the experiment %s", file) : AM_OK;
}

enum am_status am_exec_tests_load(const char *file, struct am_arena *arena,
                                  const struct am_bench ***out, struct am_err *err)
{
    struct am_spec *const spec = am_arena_alloc(arena, sizeof(*spec));
    const struct am_bench **benches =
        am_arena_array(arena, AM_SPEC_TESTS_MAX + 1, sizeof(*benches));
    struct am_spec_source source = {.file = file, .folder = "/"};
    enum am_status s = spec && benches ? AM_OK : no_memory(err);
    size_t n = 0;
    char *text = NULL;

    *out = benches;
    if (s != AM_OK || !file)
        return s;
    s = read_file(file, arena, &text, &source.len, err);
    source.text = text;
    if (s == AM_OK)
        s = am_spec_parse(&source, arena, spec, err);
    for (size_t i = 0; s == AM_OK && i < spec->n_tests; i++) {
        if (!spec->tests[i].exec)
            continue;
        benches[n] = make_bench(spec, i, arena, err);
        if (!benches[n++])
            s = no_memory(err);
    }
    return s;
}
