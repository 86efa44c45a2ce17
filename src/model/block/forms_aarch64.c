/* SPDX-License-Identifier: MIT */
/* From decoded AArch64 instructions to the names of measured forms (kernels/instr_aarch64.inc and
 * kernels/mix/own_aarch64.inc), which are the mnemonic and the shape of the first register. */
#include "model/block/forms.h"

#include "base/text.h"

#include <string.h>

struct naming {
    const struct am_insn *insn;
    am_form_known_fn *known;
    const void *self;
};

/* Takes a form of that very name. */
static bool take(const struct naming *n, const char *name, char *out)
{
    return n->known(n->self, name) && am_str_copy(out, AM_FORM_NAME_MAX, name);
}

/* ---- loads and stores ---- */

/* By the register's letter: the form, and one that stands for it where it was not measured. */
struct access {
    const char *form, *like;
};

static struct access load_of(const struct am_insn *in)
{
    static const char *const single[] = {"ld1r", "ld2r", "ld3r", "ld4r", NULL};

    if (am_glob_any(single, in->mnemonic))
        return (struct access){strcmp(in->shape, "4s") == 0 ? "ld1r_4s" : "ld1r_2d", "ldr_q"};
    switch (in->shape[0]) {
    case 'x':
    case 'w':
        if (am_glob_match("ld*rs*", in->mnemonic))
            return (struct access){"ldrsw_x", "ldr_x_row"};
        if (am_glob_match("ld*b", in->mnemonic) || am_glob_match("ld*h", in->mnemonic))
            return (struct access){"ldrb_w", "ldr_x_row"};
        return (struct access){"ldr_x_row", NULL};
    case 'd': return (struct access){"ldr_d", "ldr_q"};
    case 's':
    case 'h':
    case 'b': return (struct access){"ldr_s", "ldr_d"};
    case '\0': return (struct access){"ldr_x_row", NULL}; /* a prefetch */
    default: return (struct access){"ldr_q", NULL};
    }
}

static struct access store_of(const struct am_insn *in)
{
    switch (in->shape[0]) {
    case 'x':
    case 'w': return (struct access){"str_x", NULL};
    case 'd': return (struct access){"str_d", "str_q"};
    case 's':
    case 'h':
    case 'b': return (struct access){"str_s", "str_d"};
    default: return (struct access){"str_q", NULL};
    }
}

static enum am_form_match take_access(const struct naming *n, struct access a, char *out)
{
    if (take(n, a.form, out))
        return AM_FORM_EXACT;
    return a.like && take(n, a.like, out) ? AM_FORM_LIKE : AM_FORM_UNKNOWN;
}

/* A pair is two loads, unless pairs of general registers were measured as such. */
static enum am_form_match name_access(const struct naming *n, struct am_insn_forms *out)
{
    const struct am_insn *const in = n->insn;
    const bool pair = am_glob_match("ldp*", in->mnemonic) && (in->shape[0] == 'x');
    enum am_form_match match;

    out->times = in->moved > 1 ? in->moved : 1;
    if (pair && take(n, "ldp_x", out->load)) {
        out->times = 1;
        match = AM_FORM_EXACT;
    } else {
        match = in->loads ? take_access(n, load_of(in), out->load)
                          : take_access(n, store_of(in), out->store);
    }
    if (in->beside) /* the base moves on: an addition */
        match = am_form_lesser(match,
                               take(n, "add_x", out->operation) ? AM_FORM_LIKE : AM_FORM_UNKNOWN);
    return match;
}

/* ---- operations ---- */

/* Those whose form is not the mnemonic and a shape; what the operands must be like. */
enum operands { ANY, SHIFTED, BY_REGISTER, FROM_GENERAL, TO_GENERAL, IMMEDIATE, VECTORS };

static bool fits(const struct am_insn *in, enum operands what)
{
    switch (what) {
    case SHIFTED: return in->shifted && in->to_general;
    case BY_REGISTER: return in->to_general && !in->immediate;
    case FROM_GENERAL: return in->to_vector && in->from_general;
    case TO_GENERAL: return in->to_general && in->from_vector;
    case IMMEDIATE: return in->immediate && in->to_general;
    case VECTORS: return in->to_vector && in->from_vector;
    case ANY: break;
    }
    return true;
}

static const struct {
    const char *mnemonic; /* glob */
    enum operands what;
    const char *form;
    bool exact;
} special[] = {
    {"nop", ANY, "nop", true},
    {"add", SHIFTED, "add_x_shifted", true},
    {"sub", SHIFTED, "add_x_shifted", false},
    {"lsl", BY_REGISTER, "lsl_x_register", true},
    {"lsr", BY_REGISTER, "lsl_x_register", false},
    {"asr", BY_REGISTER, "lsl_x_register", false},
    {"ror", BY_REGISTER, "lsl_x_register", false},
    {"mov?", IMMEDIATE, "mov_x_imm", true},
    {"mov", IMMEDIATE, "mov_x_imm", true},
    {"adr*", ANY, "mov_x_imm", false},
    {"mov", VECTORS, "mov_16b", true},
    {"orr", VECTORS, "orr_16b", true},
    {"?mov", TO_GENERAL, "fmov_x_d", false},
    {"mov", TO_GENERAL, "fmov_x_d", false},
    {"fmov", FROM_GENERAL, "fmov_d_x", true},
    {"dup", FROM_GENERAL, "dup_4s_w", true},
    {"dup", FROM_GENERAL, "fmov_d_x", false},
    {"ins", FROM_GENERAL, "fmov_d_x", false},
    {"mov", FROM_GENERAL, "fmov_d_x", false},
    {"?cvtf", FROM_GENERAL, "scvtf_d_x", true},
    {"fcvt*", TO_GENERAL, "fcvtzs_x_d", true},
    {"fcmp*", ANY, "fcmp_d", true},
    {"fccmp*", ANY, "fcmp_d", false},
    {"fcsel", ANY, "fcsel_d", true},
    {"fcsel", ANY, "fmax_d", false},
    {"movi", ANY, "movi_2d", true},
    {"mvni", ANY, "movi_2d", false},
    {"movi", ANY, "mov_16b", false},
    {"cmp", ANY, "cmp_x", true},
    {"cmn", ANY, "cmp_x", false},
    {"ccm?", ANY, "cmp_x", false},
    {"tst", ANY, "tst_x", true},
    {"tst", ANY, "cmp_x", false},
    {"cset*", ANY, "cset_x", true},
    {"cset*", ANY, "csel_x", false},
};

/* Operations that units do in the same way; followed from one to the next. */
static const struct {
    const char *from, *to; /* glob, mnemonic */
} likes[] = {
    {"subs", "adds"},     {"sub", "add"},       {"negs", "adds"},     {"neg", "add"},
    {"adds", "add"},      {"sbc*", "adc"},      {"adcs", "adc"},      {"ands", "and"},
    {"bics", "bic"},      {"eon", "eor"},       {"mneg", "mul"},      {"msub", "madd"},
    {"?mull", "mul"},     {"?maddl", "madd"},   {"?msubl", "madd"},   {"?mulh", "umulh"},
    {"lsr", "lsl"},       {"asr", "lsl"},       {"?bfx", "ubfx"},     {"?bfiz", "ubfx"},
    {"?bfm", "ubfx"},     {"bf*", "ubfx"},      {"?xtb", "sxtw"},     {"?xth", "sxtw"},
    {"uxtw", "sxtw"},     {"csin*", "csel"},    {"csneg", "csel"},    {"cin*", "csel"},
    {"cneg", "csel"},     {"rev*", "rev"},      {"cls", "clz"},       {"sdiv", "udiv"},
    {"fnmul", "fmul"},    {"fmulx", "fmul"},    {"fnmadd", "fmadd"},  {"fmsub", "fmadd"},
    {"fnmsub", "fmadd"},  {"fmls", "fmla"},     {"fsub", "fadd"},     {"fabd", "fadd"},
    {"fmin*", "fmax"},    {"fmax*", "fmax"},    {"fabs", "fneg"},     {"fneg", "fabs"},
    {"frint*", "frintn"}, {"fcm*", "fcmgt"},    {"fac*", "fcmgt"},    {"?cvtf", "scvtf"},
    {"fcvtz?", "fcvtzs"}, {"fcvt??", "fcvtzs"}, {"fcvtl2", "fcvtl"},  {"fcvtn2", "fcvtn"},
    {"?max", "smax"},     {"?min", "umin"},     {"smax", "umin"},     {"umin", "smax"},
    {"mls", "mla"},       {"?mlal*", "smlal"},  {"?mlsl*", "smlal"},  {"?mull2", "smull"},
    {"?dot", "smlal"},    {"cm*", "cmgt"},      {"cmgt", "cmeq"},     {"?shl", "ushl"},
    {"?rshl", "ushl"},    {"?shr", "ushr"},     {"sshr", "shl"},      {"ushr", "shl"},
    {"?sra", "shl"},      {"s?i", "shl"},       {"bif", "bsl"},       {"bit", "bsl"},
    {"or?", "eor"},       {"eor", "and"},       {"bic", "and"},       {"mvn", "and"},
    {"zip?", "zip1"},     {"uzp?", "zip1"},     {"trn?", "zip1"},     {"rev*", "zip1"},
    {"ext", "zip1"},      {"uzp1", "zip1"},     {"trn1", "zip1"},     {"tbx", "tbl"},
    {"?xtl*", "sxtl"},    {"?shll*", "sxtl"},   {"*xtn*", "xtn"},     {"?addl*", "add"},
    {"?addw*", "add"},    {"?subl*", "add"},    {"?hadd", "uhadd"},   {"?qadd", "sqadd"},
    {"?qsub", "sqadd"},   {"?abd", "sabd"},     {"?addlv", "uaddlv"}, {"?maxv", "smaxv"},
    {"?minv", "smaxv"},   {"fsqrt", "fdiv"},    {"mov", "fmov"},
};
enum { LIKES = sizeof(likes) / sizeof(likes[0]), STEPS_MAX = 6 };

/* The shapes that a form may have, by kind of the first register. */
static const char *const *shapes_of(const struct am_insn *in)
{
    static const char *const general[] = {"x", "w", NULL}, *const scalar[] = {"d", "s", "2d", NULL},
                             *const vector[] = {"4s", "2d", "16b", "8h", "8b", "2s", NULL};

    if (strchr("xw", in->shape[0]))
        return general;
    return strchr("dshb", in->shape[0]) && !in->shape[1] ? scalar : vector;
}

static enum am_form_match find_shape(const struct naming *n, const char *mnemonic, char *out)
{
    char name[AM_FORM_NAME_MAX];

    if (am_str_format(name, sizeof(name), "%s_%s", mnemonic, n->insn->shape) && take(n, name, out))
        return AM_FORM_EXACT;
    for (const char *const *s = shapes_of(n->insn); *s; s++) {
        if (am_str_format(name, sizeof(name), "%s_%s", mnemonic, *s) && take(n, name, out))
            return AM_FORM_LIKE;
    }
    return AM_FORM_UNKNOWN;
}

static const char *like_of(const char *mnemonic, size_t *from)
{
    for (; *from < LIKES; ++*from) {
        if (am_glob_match(likes[*from].from, mnemonic) && strcmp(likes[*from].to, mnemonic) != 0)
            return likes[*from].to;
    }
    return NULL;
}

static enum am_form_match find_operation(const struct naming *n, char *out)
{
    const char *mnemonic = n->insn->mnemonic;
    enum am_form_match match = find_shape(n, mnemonic, out);

    for (int i = 0; mnemonic && i < STEPS_MAX && match == AM_FORM_UNKNOWN; i++) {
        size_t from = 0;

        mnemonic = like_of(mnemonic, &from);
        if (mnemonic && find_shape(n, mnemonic, out) != AM_FORM_UNKNOWN)
            match = AM_FORM_LIKE;
    }
    return match;
}

static enum am_form_match name_operation(const struct naming *n, char *out)
{
    for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++) {
        if (am_glob_match(special[i].mnemonic, n->insn->mnemonic) &&
            fits(n->insn, special[i].what) && take(n, special[i].form, out))
            return special[i].exact ? AM_FORM_EXACT : AM_FORM_LIKE;
    }
    return find_operation(n, out);
}

/* ---- all of an instruction ---- */

/* Cores fuse a branch on flags with the instruction that sets them. */
static bool is_fused(const struct am_insn *in, const struct am_insn *before)
{
    static const char *const with[] = {"cmp", "cmn", "tst", "adds", "subs", "ands", "bics", NULL};

    return am_glob_match("b.*", in->mnemonic) && before && am_glob_any(with, before->mnemonic);
}

void am_insn_forms_aarch64(const struct am_insn *insn, const struct am_insn_around *around,
                           am_form_known_fn *known, const void *self, struct am_insn_forms *out)
{
    const struct naming n = {.insn = insn, .known = known, .self = self};

    if (is_fused(insn, around->before))
        out->match = AM_FORM_NONE;
    else if (insn->flow == AM_FLOW_BRANCH || insn->flow == AM_FLOW_JUMP)
        out->match = take(&n, "add_x", out->operation) ? AM_FORM_LIKE : AM_FORM_UNKNOWN;
    else if (strcmp(insn->mnemonic, "?") == 0) /* an access of it is of no known kind */
        out->match = AM_FORM_UNKNOWN;
    else if (insn->loads || insn->stores)
        out->match = name_access(&n, out);
    else
        out->match = name_operation(&n, out->operation);
}
