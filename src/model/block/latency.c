/* SPDX-License-Identifier: MIT */
/* How long the results of a loop's instructions take, by the chains that were measured. */
#include "model/block/flow.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

/* The same operation under the names that chains have: of another width or encoding, or there and
 * back between register files, of which half is taken. */
static const struct am_incore_way *other_way(const struct am_incore *core, const char *form)
{
    static const char *const pairs[][2] = {
        {"movq_r64_xmm", "movq_r64_xmm_pair"},
        {"movq_xmm_r64", "movq_r64_xmm_pair"},
        {"cvttsd2si_r64_xmm", "cvttsd2si_cvtsi2sd_r64_xmm_pair"},
        {"cvtsi2sd_xmm_r64", "cvttsd2si_cvtsi2sd_r64_xmm_pair"},
        {"movmskpd_r32_xmm", "movmskpd_movd_r32_xmm_pair"},
        {"pmovmskb_r32_xmm", "pmovmskb_movd_r32_xmm_pair"},
        {"pcmpeqd_k_zmm", "vpcmpeqd_vpmovm2d_zmm_pair"},
        {"pcmpeqb_k_zmm", "vpcmpeqd_vpmovm2d_zmm_pair"},
        {"pcmpeqd_k_ymm", "vpcmpeqd_vpmovm2d_zmm_pair"},
        {"pcmpeqb_k_ymm", "vpcmpeqd_vpmovm2d_zmm_pair"},
        {"ptestmb_k_zmm", "vptestmd_vpmovm2d_zmm_pair"},
        {"ptestmb_k_ymm", "vptestmd_vpmovm2d_zmm_pair"},
        {"cmpltpd_k_zmm", "vcmpltpd_vpmovm2q_zmm_pair"},
        {"cmpltpd_k_ymm", "vcmpltpd_vpmovm2q_zmm_pair"},
        {"pextrq_r64_xmm", "pextrq_pinsrq_r64_xmm_pair"},
        {"pinsrq_xmm_r64", "pextrq_pinsrq_r64_xmm_pair"},
        {"pextrw_r32_xmm", "pextrw_pinsrw_r32_xmm_pair"},
        {"pinsrw_xmm_r32", "pextrw_pinsrw_r32_xmm_pair"},
        {"pmovd2m_k_zmm", "vpmovd2m_vpmovm2d_zmm_pair"},
        {"pmovd2m_k_ymm", "vpmovd2m_vpmovm2d_zmm_pair"},
        {"pmovm2d_zmm", "vpmovd2m_vpmovm2d_zmm_pair"},
        {"pmovm2d_ymm", "vpmovd2m_vpmovm2d_zmm_pair"},
        {"kmovw_r32_k", "kmovw_r32_k_pair"},
        {"kmovd_r32_k", "kmovw_r32_k_pair"},
        {"kmovw_k_r32", "kmovw_r32_k_pair"},
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
    const struct am_incore_way *found = am_incore_way(core, base);

    for (size_t i = 0; !found && i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (strcmp(pairs[i][0], base) == 0)
            found = am_incore_way(core, pairs[i][1]);
    }
    if (!found && len > 4 && len < sizeof(wide) && strcmp(form + len - 4, "_xmm") == 0 &&
        am_str_format(wide, sizeof(wide), "v%.*s_ymm", (int)(strlen(base) - 4), base))
        found = am_incore_way(core, wide);
    return found;
}

const struct am_incore_way *am_flow_way(const struct am_incore *core, const char *form)
{
    const struct am_incore_way *const own = am_incore_way(core, form);

    return own ? own : other_way(core, form);
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

/* A move or a sum with a constant that takes nothing but a slot, or whose chain takes less than a
 * cycle per step, is done by renaming: its result is there at once. */
static bool is_renamed(const struct am_incore *core, enum am_arch arch, const char *form)
{
    static const double cycle = 0.75;
    const struct am_incore_form *const f = am_incore_find(core, form);
    const struct am_incore_form *const slot = am_incore_find(core, am_form_slot(arch));
    const struct am_incore_way *const way = am_incore_way(core, form);

    static const char *const renamed[] = {"mov*",  "vmov*",        "add_r64_imm", "inc_*",
                                          "dec_*", "lea_r64_base", NULL};

    if (!am_glob_any(renamed, form))
        return false;
    return way ? way->latency < cycle : f && slot && f->kind == slot->kind;
}

/* Address computations may take longer from the base than from the index, through which the form's
 * own chain runs. */
static double base_more(const struct am_incore *core, const char *form)
{
    char base[AM_FORM_NAME_MAX];
    const struct am_incore_way *const index = am_incore_way(core, form);
    const struct am_incore_way *const other =
        am_str_format(base, sizeof(base), "%s_base", form) ? am_incore_way(core, base) : NULL;

    return index && other && strncmp(form, "lea_", 4) == 0
               ? fmax(other->latency - index->latency, 0)
               : 0;
}

/* Likewise of a load from its index. One that is not scaled was measured in a sum of all that an
 * address may have: base, index and constant, on AArch64 the first two. */
static double index_more(const struct am_incore *core, const struct am_insn *in)
{
    const unsigned most = in->arch == AM_ARCH_X86_64 ? 3 : 2;

    if (!in->loads || in->memory.index >= AM_REG_COUNT)
        return 0;
    if (in->memory.scale > 1)
        return core->scaled_more;
    return in->address_parts >= most ? core->indexed_more : 0;
}

/* From memory a load, whatever it extends. */
static bool is_move(const char *form)
{
    return am_glob_match("mov*", form);
}

/* The form without its operand in memory: "vunpcklpd_ymm" of "vunpcklpd_ymm_m256"; false where it
 * has none there. What has a chain of its own keeps its name. */
static bool without_memory(const struct am_incore *core, const char *form, char *out, size_t cap)
{
    const char *const memory = strstr(form, "_m");
    const bool has = memory && memory[2] >= '0' && memory[2] <= '9';

    if (has && !is_move(form) && !am_flow_way(core, form))
        (void)am_str_format(out, cap, "%.*s", (int)(memory - form), form);
    else
        (void)am_str_copy(out, cap, form);
    return has;
}

/* Whether loads of both halves, one directly behind the other, clearly take less than one after the
 * other. */
static bool loads_afresh(const struct am_incore *core, const struct am_form_halves *halves)
{
    static const double clearly = 0.75;
    const struct am_incore_way *const lower = am_incore_way(core, halves->lower),
                                      *const upper = am_incore_way(core, halves->upper),
                                      *const both = am_incore_way(core, halves->both);

    return lower && upper && both && both->latency < clearly * (lower->latency + upper->latency);
}

/* Whether the second loads the upper half of the very register of which the first loads the lower
 * one. */
static bool fills(const struct am_insn *first, const struct am_insn *second)
{
    return first->loads && second->loads && first->vex == second->vex &&
           am_glob_match("*movlp?", first->mnemonic) &&
           am_glob_match("*movhp?", second->mnemonic) && first->writes == second->writes &&
           second->reads == second->writes;
}

/* From the last line to the first one a jump stands between. */
void am_flow_halves(const struct am_incore *core, struct am_predicted *b)
{
    const struct am_form_halves *const halves = am_form_halves(b->lines[0].insn->arch);
    const bool afresh = halves && loads_afresh(core, halves);

    for (size_t i = 0; afresh && i + 1 < b->n; i++)
        b->lines[i].afresh = fills(b->lines[i].insn, b->lines[i + 1].insn);
}

void am_flow_set(const struct am_incore *core, struct am_predicted_line *line)
{
    const struct am_insn_forms *const forms = &line->forms;
    const struct am_incore_way *way;
    char operation[AM_FORM_NAME_MAX];

    line->latency = 0;
    line->index_more = index_more(core, line->insn);
    line->home = AM_HOME_ANY;
    if (forms->eliminated || forms->match == AM_FORM_NONE || !forms->operation[0]) {
        line->latency = forms->match == AM_FORM_UNKNOWN ? NAN : 0;
        return;
    }
    if (without_memory(core, forms->operation, operation, sizeof(operation)) &&
        (is_move(operation) ? !am_incore_way(core, operation) : !am_flow_way(core, operation)))
        return; /* a load of its own, which is counted where its address is */
    if (line->insn->beside)
        return;
    if (is_one_cycle(operation)) {
        line->latency = 1;
        return;
    }
    way = am_flow_way(core, operation);
    line->base_more = base_more(core, operation);
    line->renamed = is_renamed(core, line->insn->arch, operation);
    line->latency = line->renamed ? 0 : way ? way->latency : NAN;
    line->home = way ? way->home : AM_HOME_ANY;
    line->away = way ? way->away : 0;
    line->other = way ? way->other : 0;
    line->clash = way ? way->clash : 0;
}
