/* SPDX-License-Identifier: MIT */
/* The first screen around its lines: the machine above them, how far to trust them and what to type
 * next below. */
#include "document/screen.h"

#include "base/text.h"
#include "document/facts.h"
#include "document/page.h"
#include "document/run.h"
#include "document/units.h"
#include "topo/uarch.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NAME_BYTES = 128, LINES_AROUND = 4 };

/* ---- the machine ---- */

/* Removes every occurrence of `word`. */
static void strike(char *text, const char *word)
{
    char *at;

    while ((at = strstr(text, word)) != NULL)
        memmove(at, at + strlen(word), strlen(at + strlen(word)) + 1);
}

/* "AMD EPYC 7763 64-Core Processor" -> "AMD EPYC 7763": what a name says beyond the name, the line
 * says itself. */
static void tidy(char *name)
{
    static const char *const words[] = {"(R)", "(TM)", "(tm)", " Processor", " CPU"};
    char *at = strstr(name, " @ ");

    if (at)
        *at = '\0';
    at = strstr(name, "-Core");
    if (at) {
        char *from = at;

        while (from > name && from[-1] >= '0' && from[-1] <= '9')
            from--;
        while (from > name && from[-1] == ' ')
            from--;
        memmove(from, at + strlen("-Core"), strlen(at + strlen("-Core")) + 1);
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        strike(name, words[i]);
}

/* "2 x AMD EPYC 7763 (Zen 3)"; names that are not known are left out. */
static void add_processor(struct am_text *t, const struct am_kvs *machine)
{
    const char *const model = am_kvs_get(machine, "model_name");
    const char *const packages = am_kvs_get(machine, "packages");
    const char *const uarch = am_uarch_name(machine);
    const bool named = model && strcmp(model, "unknown") != 0;
    char name[NAME_BYTES];

    (void)am_str_copy(name, sizeof(name), named ? model : uarch ? uarch : "unknown processor");
    tidy(name);
    if (packages && strcmp(packages, "unknown") != 0 && strcmp(packages, "1") != 0)
        am_text_addf(t, "%s x ", packages);
    am_text_add(t, name);
    if (named && uarch)
        am_text_addf(t, " (%s)", uarch);
}

static void add_count(struct am_text *t, const struct am_kvs *machine, const char *key,
                      const char *word)
{
    const char *const text = am_kvs_get(machine, key);

    if (text && strcmp(text, "unknown") != 0)
        am_text_addf(t, ", %s %s%s", text, word, strcmp(text, "1") == 0 ? "" : "s");
}

const char *am_screen_machine(const struct am_result_set *set, struct am_arena *arena)
{
    const char *const cores = am_kvs_get(&set->machine, "cores");
    const char *const threads = am_kvs_get(&set->machine, "threads");
    const char *const memory = am_kvs_get(&set->machine, "memory_gib");
    const char *const virt = am_kvs_get(&set->environment, "virtualisation");
    const bool guest = virt && strcmp(virt, "none") != 0 && strcmp(virt, "unknown") != 0;
    const char *copy;
    char size[AM_UNITS_MAX];
    struct am_text t;
    double gib;

    am_text_init(&t, (size_t)AM_SCREEN_COLUMNS * 4);
    add_processor(&t, &set->machine);
    add_count(&t, &set->machine, "cores", "core");
    if (cores && threads && strcmp(cores, threads) != 0)
        add_count(&t, &set->machine, "threads", "thread");
    if (memory && am_parse_f64(memory, strlen(memory), &gib)) {
        am_units_fact(gib * 0x1p30, "B", size, sizeof(size));
        am_text_addf(&t, ", %s", size);
    }
    if (guest)
        am_text_addf(&t, ", %s", strncmp(virt, "kvm", 3) == 0 ? "KVM guest" : "guest");
    copy = am_arena_strdup(arena, am_text_str(&t));
    am_text_fini(&t);
    return copy ? copy : "";
}

/* Seconds from the beginning to the end, those of the machine where it is simulated; NAN while
 * there is no end. */
static double seconds_of(const struct am_run_info *run)
{
    struct tm from = {0}, to = {0};

    if (run->synthetic && run->ended && run->launched_s > 0)
        return run->launched_s;

    if (!run->started || !run->ended || !strptime(run->started, "%Y-%m-%dT%H:%M:%SZ", &from) ||
        !strptime(run->ended, "%Y-%m-%dT%H:%M:%SZ", &to))
        return NAN;
    return difftime(timegm(&to), timegm(&from));
}

/* Where a line that is too long is broken: behind the last part that fits; its length otherwise. */
static size_t break_at(const char *text)
{
    size_t at = strlen(text);

    while (at > AM_SCREEN_COLUMNS) {
        do
            at--;
        while (at > 0 && strncmp(text + at, ", ", 2) != 0);
    }
    return at ? at : strlen(text);
}

/* The machine on the left, what was run on the right; on a line of its own where both do not fit.
 */
static size_t tell_machine(struct am_body *b, const struct am_result_set *set)
{
    const char *const machine = am_screen_machine(set, b->arena);
    const double seconds = seconds_of(&set->run);
    char took[AM_UNITS_MAX] = "", run[NAME_BYTES];
    size_t wide, pad;

    if (isfinite(seconds))
        am_units_duration(seconds, took, sizeof(took));
    (void)am_str_format(run, sizeof(run), "%s set%s%s%s%s%s",
                        am_profile_name(set->run.settings.profile), *took ? ", " : "", took,
                        set->run.state == AM_RUN_DONE ? "" : ", ",
                        set->run.state == AM_RUN_DONE ? "" : am_run_states[set->run.state],
                        set->run.synthetic ? ", simulated" : "");
    wide = strlen(machine) + 2 + strlen(run);
    if (wide > AM_SCREEN_COLUMNS) {
        const size_t at = break_at(machine);
        const char *const rest = machine[at] ? machine + at + strlen(", ") : "";

        (void)am_block_add(b, AM_BLOCK_HEADING, am_arena_strndup(b->arena, machine, at), NULL);
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL, "%s%s%s", rest, *rest ? ", " : "", run);
        return 2;
    }
    pad = AM_SCREEN_COLUMNS - wide;
    (void)am_block_addf(b, AM_BLOCK_HEADING, machine, "%*s%s", (int)pad, "", run);
    return 1;
}

/* ---- what is below ---- */

static int by_size(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

/* What three figures in four are good to; NAN without any interval. */
static double typical(double *precisions, size_t n)
{
    if (n == 0)
        return NAN;
    qsort(precisions, n, sizeof(*precisions), by_size);
    return precisions[(3 * n - 1) / 4];
}

double am_screen_precision(const struct am_screen_view *view, struct am_arena *arena)
{
    struct am_body nowhere = {.arena = arena};
    double precisions[AM_HEADLINES_MAX];
    size_t n = 0;

    (void)am_screen_lines(&nowhere, view, SIZE_MAX, precisions, &n);
    return typical(precisions, n);
}

static void tell_next(struct am_body *b, const struct am_screen_view *view)
{
    /* the commands take the latest run of the working directory; any other must be named */
    const bool here = view->path && !strchr(view->path, '/');
    const char *const file = here ? "" : view->path;
    char open[AM_UNITS_MAX] = "";

    if (!view->path)
        return;
    if (view->set->run.state != AM_RUN_DONE)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                            "not finished; go on with: archmeter resume %s", view->path);
    else
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, "results ", "%s%s%s", view->path,
                            view->report ? ", report " : "", view->report ? view->report : "");
    if (view->facts->n_remarks)
        (void)am_str_format(open, sizeof(open), " (%zu not concluded)", view->facts->n_remarks);
    (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, "next    ",
                        "archmeter show%s%s (tables), model%s, explain%s", *file ? " " : "", file,
                        open,
                        view->report ? ""
                        : *open      ? ", report"
                                     : ", report (page)");
}

/* ---- the document ---- */

static bool has_any(const struct am_family *family, const struct am_facts *facts)
{
    for (const struct am_headline *h = family->headlines; h && h->title; h++) {
        if (h->row && h->place != AM_HEADLINE_DENIED && am_headline_fact(h, facts))
            return true;
    }
    return false;
}

size_t am_screen_families(const struct am_facts *facts)
{
    size_t n = 0;

    for (size_t i = 0; am_families[i]; i++)
        n += has_any(am_families[i], facts);
    return n;
}

void am_screen_section(struct am_body *b, const struct am_screen_view *view)
{
    double precisions[AM_HEADLINES_MAX];
    size_t n = 0, lines = tell_machine(b, view->set);

    /* the empty line among those around is the first to go */
    lines += am_screen_lines(b, view, AM_SCREEN_LINES - (LINES_AROUND - 1) - lines, precisions, &n);
    if (view->read)
        return;
    if (lines + LINES_AROUND <= AM_SCREEN_LINES)
        (void)am_block_add(b, AM_BLOCK_GAP, NULL, NULL);
    am_quality_sentence(b, view->set, typical(precisions, n));
    tell_next(b, view);
}

static void screen_blocks(struct am_body *b, const void *self)
{
    am_screen_section(b, self);
}

static void screen_data(struct am_data *d, const void *self)
{
    const struct am_screen_view *const view = self;

    am_data_run(d, "run", view->set);
    am_data_machine(d, &view->set->machine);
    am_data_facts(d, view->facts);
}

struct am_document am_document_screen(const struct am_screen_view *view)
{
    return (struct am_document){.self = view, .blocks = screen_blocks, .data = screen_data};
}
