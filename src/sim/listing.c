/* SPDX-License-Identifier: MIT */
/* The listing of a real worker with the choices that a simulated machine has: ISAs, devices,
 * instructions, coherence states. Lines that depend on no machine pass as they are. */
#include "core/protocol/words.h"
#include "sim/serve.h"

#include <string.h>
#include <sys/utsname.h>

enum { POINTS_TOGETHER = 64 };

struct adapter {
    const struct am_sim_machine *machine;
    struct am_text *out;
    const char *bench, *axis; /* at hand; in the arena */
    bool env;                 /* the axis is an environment variable */
    bool replace;             /* its choices are the machine's: those listed are dropped */
    bool replaced;            /* they have been written */
    struct am_arena arena;
};

static void add_choice(struct adapter *a, const char *name)
{
    am_text_add(a->out, "choice");
    am_word_add(a->out, name);
    am_word_add(a->out, NULL);
    am_word_add(a->out, a->env ? name : NULL);
    am_text_add(a->out, "\n");
}

/* ---- axes whose choices are the machine's ---- */

static void add_isas(struct adapter *a)
{
    const struct am_sim_kind *const kind = &a->machine->kinds[0];

    for (size_t i = 0; i < kind->n_isas; i++)
        add_choice(a, kind->isas[i].name);
}

static void add_devices(struct adapter *a)
{
    for (size_t i = 0; i < a->machine->n_devices; i++)
        add_choice(a, a->machine->devices[i].name);
}

static void add_instructions(struct adapter *a)
{
    bool any = false;

    for (size_t i = 0; i < a->machine->n_instrs; i++) {
        if (strpbrk(a->machine->instrs[i].pattern, "*?"))
            continue;
        add_choice(a, a->machine->instrs[i].pattern);
        any = true;
    }
    if (!any)
        add_choice(a, "add");
}

/* A build for another architecture lists that one's instructions. */
static bool is_foreign(const struct am_sim_machine *m)
{
    struct utsname here;

    return uname(&here) != 0 || strcmp(here.machine, m->arch) != 0;
}

static void replace_choices(struct adapter *a, const char *first)
{
    if (strcmp(a->axis, "isa") == 0 && strcmp(first, "scalar") == 0 &&
        strcmp(a->bench, "app.fft") != 0)
        add_isas(a);
    else if (strcmp(a->axis, "device") == 0 && a->env)
        add_devices(a);
    else if (strcmp(a->axis, "instr") == 0 && is_foreign(a->machine))
        add_instructions(a);
    else
        return;
    a->replace = true;
}

/* ---- choices that the machine may lack ---- */

static bool has_avx512(const struct am_sim_machine *m)
{
    return am_sim_isa_find(&m->kinds[0], "avx512") != NULL;
}

/* Why a listed choice is not for this machine; NULL: it is; the text given: as it was listed. */
static const char *why_not(const struct adapter *a, const char *choice, const char *listed)
{
    const struct am_sim_machine *const m = a->machine;

    if (strcmp(a->axis, "state") == 0) {
        if (strcmp(choice, "owned") == 0 && m->coherence.protocol != AM_SIM_MOESI)
            return "this machine's protocol has no owned state";
        if (strcmp(choice, "forward") == 0 && m->coherence.protocol != AM_SIM_MESIF)
            return "this machine's protocol has no forward state";
        return NULL;
    }
    if (strcmp(a->axis, "hwprefetch") == 0)
        return NULL;
    if (strcmp(a->axis, "instr") == 0)
        return (strstr(choice, "zmm") || choice[0] == 'k') && !has_avx512(m)
                   ? "this machine has no AVX-512"
                   : NULL;
    return listed;
}

/* ---- lines ---- */

/* A simulated process has no state that its points would share, and each of them draws anew what a
 * launch draws (am_sim_launch_draw): one process answers for many. Not where a neighbour comes and
 * goes: readings around a launch must tell of its own time. */
static bool on_bench(struct adapter *a, const struct am_words *w, bool *written)
{
    enum { POINTS = 4 /* points_per_launch */ };

    if (w->n < 2 || !am_word_dup(w->w[1], &a->arena, &a->bench) || !a->bench)
        return false;
    if (w->n <= POINTS || a->machine->neighbour.on_s > 0)
        return true;
    for (size_t i = 0; i < w->n; i++) {
        am_text_add(a->out, i ? " " : "");
        if (i == POINTS)
            am_text_addf(a->out, "%d", POINTS_TOGETHER);
        else
            am_text_addn(a->out, w->w[i].s, w->w[i].len);
    }
    am_text_add(a->out, "\n");
    *written = true;
    return true;
}

/* Instructions of another architecture: what stands for "all" instead of names. */
static bool on_axis(struct adapter *a, const struct am_words *w, bool *written)
{
    const char *env = NULL, *text = NULL;

    if (w->n != 9 || !am_word_dup(w->w[1], &a->arena, &a->axis) || !a->axis ||
        !am_word_dup(w->w[8], &a->arena, &env))
        return false;
    a->env = env != NULL;
    a->replace = a->replaced = false;
    if (strcmp(a->axis, "instr") != 0 || !is_foreign(a->machine))
        return true;
    am_text_add(a->out, "axis instr name - usable - -");
    if (!am_word_dup(w->w[7], &a->arena, &text))
        return false;
    am_word_add(a->out, text);
    am_text_add(a->out, " -\n");
    *written = true;
    return true;
}

static bool on_choice(struct adapter *a, const struct am_words *w)
{
    const char *name = NULL, *listed = NULL, *value = NULL;

    if (w->n != 4 || !a->axis || !a->bench || !am_word_dup(w->w[1], &a->arena, &name) || !name ||
        !am_word_dup(w->w[2], &a->arena, &listed) || !am_word_dup(w->w[3], &a->arena, &value))
        return false;
    if (!a->replaced)
        replace_choices(a, name);
    a->replaced = true;
    if (a->replace)
        return true;
    am_text_add(a->out, "choice");
    am_word_add(a->out, name);
    am_word_add(a->out, why_not(a, name, listed));
    am_word_add(a->out, value);
    am_text_add(a->out, "\n");
    return true;
}

static bool on_line(struct adapter *a, const char *line, size_t len)
{
    struct am_words w;
    bool written = false, good = true;

    if (!am_words_split(line, len, &w))
        return false;
    if (am_word_is(w.w[0], "choice"))
        return on_choice(a, &w);
    if (am_word_is(w.w[0], "bench"))
        good = on_bench(a, &w, &written);
    else if (am_word_is(w.w[0], "axis"))
        good = on_axis(a, &w, &written);
    if (!written) {
        am_text_addn(a->out, line, len);
        am_text_add(a->out, "\n");
    }
    return good;
}

bool am_sim_listing_adapt(const struct am_sim_machine *m, const char *text, size_t len,
                          struct am_text *out)
{
    struct adapter a = {.machine = m, .out = out};
    const char *line;
    size_t line_len;
    bool good = true;

    while (good && am_line_next(&text, &len, &line, &line_len))
        good = on_line(&a, line, line_len);
    am_arena_fini(&a.arena);
    return good && !out->overflow;
}
