/* SPDX-License-Identifier: MIT */
/* Bounds of a loop: pressure on resources, and the flow of data through its iterations. */
#include "model/block/bound.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 64 };

/* ---- latencies ---- */

/* The same operation under the names that chains have: of another width or encoding, or there and
 * back between register files, of which half is taken. */
static double other_latency(const struct am_result_set *set, const char *form)
{
    static const char *const pairs[][2] = {
        {"movq_r64_xmm", "movq_r64_xmm_pair"},
        {"movq_xmm_r64", "movq_r64_xmm_pair"},
        {"cvttsd2si_r64_xmm", "cvttsd2si_cvtsi2sd_r64_xmm_pair"},
        {"cvtsi2sd_xmm_r64", "cvttsd2si_cvtsi2sd_r64_xmm_pair"},
        {"movmskpd_r32_xmm", "movmskpd_movd_r32_xmm_pair"},
        {"pmovmskb_r32_xmm", "pmovmskb_movd_r32_xmm_pair"},
        {"lea_r64_base", "lea_r64"},
        {"imul_r64_imm", "imul_r64"},
        {"fmov_x_d", "fmov_x_d_pair"},
        {"fmov_d_x", "fmov_x_d_pair"},
        {"fcvtzs_x_d", "fcvtzs_scvtf_x_d_pair"},
        {"scvtf_d_x", "fcvtzs_scvtf_x_d_pair"},
    };
    const char *const base = form[0] == 'v' ? form + 1 : form;
    char wide[AM_FORM_NAME_MAX];
    const size_t len = strlen(form);
    double found = am_incore_latency(set, base);

    for (size_t i = 0; isnan(found) && i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (strcmp(pairs[i][0], base) == 0)
            found = am_incore_latency(set, pairs[i][1]);
    }
    if (isnan(found) && len > 4 && len < sizeof(wide) && strcmp(form + len - 4, "_xmm") == 0 &&
        am_str_format(wide, sizeof(wide), "v%.*s_ymm", (int)(strlen(base) - 4), base))
        found = am_incore_latency(set, wide);
    return found;
}

static double latency_of(const struct am_result_set *set, const char *form)
{
    const double own = am_incore_latency(set, form);

    return isnan(own) ? other_latency(set, form) : own;
}

/* Constants, comparisons and sets of flags have no chain of their own: one cycle, as an addition.
 */
static bool is_one_cycle(const char *form)
{
    static const char *const names[] = {"cmp_r64", "test_r64",  "mov_r32_imm", "sete_r8", "cmp_x",
                                        "tst_x",   "mov_x_imm", "cset_x",      NULL};

    for (const char *const *n = names; *n; n++) {
        if (strcmp(*n, form) == 0)
            return true;
    }
    return false;
}

/* A move that takes nothing but a slot is done by renaming: its result is there at once. */
static bool is_renamed(const struct am_incore *core, enum am_arch arch, const char *form)
{
    const struct am_incore_form *const f = am_incore_find(core, form);
    const struct am_incore_form *const slot = am_incore_find(core, am_form_slot(arch));

    return f && slot && f->kind == slot->kind &&
           (strncmp(form, "mov", 3) == 0 || strncmp(form, "vmov", 4) == 0);
}

static double line_latency(const struct am_incore *core, const struct am_result_set *set,
                           const struct am_predicted_line *line)
{
    const struct am_insn_forms *const forms = &line->forms;
    double latency;

    if (forms->eliminated || forms->match == AM_FORM_NONE || !forms->operation[0])
        return forms->match == AM_FORM_UNKNOWN ? NAN : 0;
    if (strstr(forms->operation, "_m") || line->insn->beside)
        return 0; /* a load of its own, which is counted where its address is */
    latency = is_one_cycle(forms->operation) ? 1 : latency_of(set, forms->operation);
    return isnan(latency) && is_renamed(core, line->insn->arch, forms->operation) ? 0 : latency;
}

/* ---- resources ---- */

struct pressing {
    const struct am_incore *core;
    double *at, *lo, *hi; /* by resource */
};

/* A load or store beside an operation has no slot of its own. */
static void press(const struct pressing *p, const char *form, unsigned times, bool beside)
{
    const struct am_incore_form *const f = form[0] ? am_incore_find(p->core, form) : NULL;

    for (size_t r = beside ? 1 : 0; f && r < p->core->model.resources; r++) {
        const struct am_resources_weight *const w =
            am_resources_weight(&p->core->model, f->kind, r);

        p->at[r] += times * w->value;
        p->lo[r] += times * w->lo;
        p->hi[r] += times * w->hi;
    }
}

/* What is not known takes a slot at least. */
static void press_line(const struct pressing *p, const struct am_predicted_line *line)
{
    const struct am_insn_forms *const forms = &line->forms;
    const bool nothing = !forms->operation[0] && !forms->load[0] && !forms->store[0];

    if (forms->match == AM_FORM_UNKNOWN && nothing)
        press(p, am_form_slot(line->insn->arch), 1, false);
    press(p, forms->operation, 1, false);
    press(p, forms->load, forms->times, forms->operation[0] != '\0');
    press(p, forms->store, forms->times, forms->operation[0] != '\0' || forms->load[0] != '\0');
}

static double line_pressure(const struct am_incore *core, const struct am_predicted_line *line,
                            size_t resource)
{
    double at[AM_RESOURCES_MAX] = {0}, lo[AM_RESOURCES_MAX] = {0};
    double hi[AM_RESOURCES_MAX] = {0};
    const struct pressing p = {.core = core, .at = at, .lo = lo, .hi = hi};

    press_line(&p, line);
    return at[resource];
}

static bool press_all(struct am_predicted *b, const struct am_incore *core, struct am_arena *arena)
{
    const size_t resources = core->model.resources;
    struct pressing p = {.core = core,
                         .at = am_arena_array(arena, resources, sizeof(*p.at)),
                         .lo = am_arena_array(arena, resources, sizeof(*p.lo)),
                         .hi = am_arena_array(arena, resources, sizeof(*p.hi))};

    b->pressure = p.at;
    if (!p.at || !p.lo || !p.hi)
        return false;
    for (size_t i = 0; i < b->n; i++)
        press_line(&p, &b->lines[i]);
    for (size_t r = 0; r < resources; r++) {
        b->busiest = p.at[r] > p.at[b->busiest] ? r : b->busiest;
        b->lo = fmax(b->lo, p.lo[r]);
        b->hi = fmax(b->hi, p.hi[r]);
    }
    b->throughput = p.at[b->busiest];
    for (size_t r = 0; r < resources; r++)
        b->next = r == b->busiest ? b->next : fmax(b->next, p.at[r]);
    for (size_t i = 0; i < b->n; i++)
        b->lines[i].pressure = line_pressure(core, &b->lines[i], b->busiest);
    return true;
}

/* ---- the flow of data ---- */

/* When a register is ready, and by which step (iteration and line): 0 for none, else step + 1. */
struct ready {
    double at;
    size_t by;
};

struct flow {
    const struct am_predicted *block;
    double load_latency;
    struct ready regs[AM_REG_COUNT];
    size_t *before; /* of each step: the one that it waited for, as above */
};

static void wait_for(const struct flow *f, uint64_t regs, double more, struct ready *until)
{
    for (size_t r = 0; r < AM_REG_COUNT; r++) {
        const double at = f->regs[r].at + more;

        if ((regs >> r & 1) && at > until->at)
            *until = (struct ready){.at = at, .by = f->regs[r].by};
    }
}

/* A base that an access moves on is there one cycle behind what it was. */
static void move_on(struct flow *f, size_t step, const struct am_insn *in, double at)
{
    for (size_t r = 0; r < AM_REG_COUNT; r++) {
        if (in->beside >> r & 1)
            f->regs[r] = (struct ready){.at = at, .by = step + 1};
    }
}

/* Loads begin when their address is known, and the operation when all of its operands are. */
static double play_line(struct flow *f, size_t step, const struct am_predicted_line *line)
{
    const struct am_insn *const in = line->insn;
    struct ready until = {.at = 0}, base = {.at = 0};
    double done;

    if (!line->forms.eliminated)
        wait_for(f, in->reads, 0, &until);
    wait_for(f, in->address_reads, in->loads ? f->load_latency : 0, &until);
    if (in->loads)
        until.at = fmax(until.at, f->load_latency);
    f->before[step] = until.by;
    done = until.at + (isnan(line->latency) ? 1 : line->latency);
    wait_for(f, in->beside, 1, &base);
    move_on(f, step, in, base.at);
    for (size_t r = 0; r < AM_REG_COUNT; r++) {
        if (in->writes >> r & 1)
            f->regs[r] = (struct ready){.at = done, .by = step + 1};
    }
    return done;
}

/* Goes back from the step that was done last to the same line of an earlier iteration, and marks
 * what lies between. */
static void mark_chain(struct am_predicted *b, const size_t *before, size_t last)
{
    size_t at = last;

    for (size_t i = 0; i < b->n * ITERATIONS && before[at]; i++) {
        b->lines[at % b->n].on_chain = true;
        at = before[at] - 1;
        if (at % b->n == last % b->n)
            return;
    }
    for (size_t i = 0; i < b->n; i++)
        b->lines[i].on_chain = false; /* it does not come back: no chain from one to the next */
}

static bool play(struct am_predicted *b, double load_latency, struct am_arena *arena)
{
    struct flow f = {.block = b, .load_latency = load_latency};
    double half = 0, latest = 0;
    size_t last = 0;

    f.before = am_arena_array(arena, b->n * ITERATIONS, sizeof(*f.before));
    if (!f.before)
        return false;
    for (size_t k = 0; k < ITERATIONS; k++) {
        for (size_t i = 0; i < b->n; i++) {
            const double done = play_line(&f, k * b->n + i, &b->lines[i]);

            if (done >= latest && b->lines[i].insn->writes) {
                latest = done;
                last = k * b->n + i;
            }
        }
        half = k + 1 == ITERATIONS / 2 ? latest : half;
    }
    b->chain = (latest - half) / (ITERATIONS - ITERATIONS / 2);
    if (b->chain > 0)
        mark_chain(b, f.before, last);
    return true;
}

/* ---- all of it ---- */

static bool is_measured(const void *self, const char *name)
{
    const struct am_incore_form *const f = am_incore_find(self, name);

    return f && f->kind < ((const struct am_incore *)self)->n_kinds;
}

static void decide(struct am_predicted *b)
{
    b->limit = AM_LIMIT_JUMP;
    b->cycles = 1;
    if (b->throughput >= b->cycles) {
        b->limit = AM_LIMIT_RESOURCE;
        b->cycles = b->throughput;
    }
    if (b->chain > b->cycles) {
        b->limit = AM_LIMIT_CHAIN;
        b->cycles = b->chain;
    }
}

enum am_arch am_core_arch(const struct am_incore *core)
{
    enum am_arch arch = AM_ARCHS;

    while (arch > 0 && !am_incore_find(core, am_form_slot(--arch)))
        ;
    return arch;
}

bool am_loop_predict(const struct am_incore *core, const struct am_result_set *set,
                     const struct am_insns *insns, const struct am_loop *loop,
                     struct am_arena *arena, struct am_predicted *out)
{
    const double load = latency_of(set, am_form_load(insns->items[loop->first].arch));
    struct am_insn_around around = {.before = NULL};
    bool loads = false;

    *out = (struct am_predicted){.loop = loop, .n = loop->last - loop->first + 1};
    out->lines = am_arena_array(arena, out->n, sizeof(*out->lines));
    for (size_t i = 0; out->lines && i < out->n; i++) {
        struct am_predicted_line *const line = &out->lines[i];

        line->insn = &insns->items[loop->first + i];
        around.before = i ? line[-1].insn : NULL;
        am_insn_forms(line->insn, &around, is_measured, core, &line->forms);
        line->latency = line_latency(core, set, line);
        out->unknown += line->forms.match == AM_FORM_UNKNOWN;
        out->like += line->forms.match == AM_FORM_LIKE;
        out->latencies_unknown += isnan(line->latency) && line->insn->writes != 0;
        loads = loads || line->insn->loads;
    }
    out->latencies_unknown += isnan(load) && loads;
    if (!out->lines || !press_all(out, core, arena) || !play(out, isnan(load) ? 1 : load, arena))
        return false;
    decide(out);
    return true;
}
