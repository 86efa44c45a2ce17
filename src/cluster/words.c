/* SPDX-License-Identifier: MIT */
/* What archmeter-mpi makes of its command line. */
#include "cluster/words.h"

#include "base/text.h"
#include "cli/words/options.h"
#include "core/bench/plan.h"

#include <string.h>

const char am_cluster_usage[] =
    "usage: mpirun -n N archmeter-mpi run [PATTERN...] -o FILE [OPTION...]\n"
    "\n"
    "Measures every machine of an MPI job with the same plan, each into a file of its own; the\n"
    "files travel over MPI to rank 0 and become one, with an axis `node`. Benches of all ranks\n"
    "together (mpi.*) follow, as node `all-ranks`.\n"
    "\n"
    "  -o, --output FILE        the merged results file; it must not exist yet\n"
    "      --nodes ORDER        together (default), or one-by-one\n"
    "      --node-limit TIME    stop a node that takes longer, and keep what it has; no default\n"
    "      --silence TIME       a rank that says nothing for so long is lost; 30s by default\n"
    "      --keep               keep every node's own file too: cluster.db, cluster.NODE.db\n"
    "      --report             write the report beside the file\n"
    "\n"
    "All other options and patterns are those of `archmeter run`; without a pattern the mpi.* are\n"
    "measured too. Ctrl-C, SIGTERM or SIGUSR1 ends early and merges what there is, as far as the\n"
    "launcher waits. Ends with code 0 when every node is complete, 1 when one is not, 2 for wrong\n"
    "words, 3 when nothing was measured. For machines, mpirun's words: doc/guide/cluster.md.\n";

enum { AXES_TEXT_MAX = 16 * 1024 };

enum own { OWN_OUTPUT, OWN_NODES, OWN_LIMIT, OWN_SILENCE, OWN_NONE };

static const double silence_s = 30;
static const double launch_limit_most_s = 300; /* of the thorough profile */

/* Which of our options a word is; *value points behind its "=", or is NULL. */
static enum own own_option(const char *word, const char **value)
{
    static const char *const names[] = {[OWN_OUTPUT] = "--output",
                                        [OWN_NODES] = "--nodes",
                                        [OWN_LIMIT] = "--node-limit",
                                        [OWN_SILENCE] = "--silence"};

    *value = NULL;
    if (strcmp(word, "-o") == 0)
        return OWN_OUTPUT;
    for (int i = 0; i < OWN_NONE; i++) {
        const size_t len = strlen(names[i]);

        if (strncmp(word, names[i], len) != 0 || (word[len] != '\0' && word[len] != '='))
            continue;
        *value = word[len] ? word + len + 1 : NULL;
        return (enum own)i;
    }
    return OWN_NONE;
}

static enum am_status take(struct am_cluster_words *out, enum own option, const char *word,
                           const char *value, struct am_err *err)
{
    static const char *const orders[] = {
        [AM_NODES_TOGETHER] = "together", [AM_NODES_ONE_BY_ONE] = "one-by-one"};
    const char *near;
    int order;

    if (!value)
        return am_fail(err, AM_E_USAGE, "%s needs a value", word);
    if (option == OWN_OUTPUT) {
        out->output = value;
        return AM_OK;
    }
    if (option == OWN_LIMIT || option == OWN_SILENCE) {
        double *const time_s = option == OWN_LIMIT ? &out->node_limit_s : &out->silence_s;

        if (am_parse_duration(value, time_s) && *time_s > 0)
            return AM_OK;
        return am_fail(err, AM_E_USAGE, "%s is a time such as 90s or 10m, not \"%s\"",
                       option == OWN_LIMIT ? "--node-limit" : "--silence", value);
    }
    order = am_name_index(orders, sizeof(orders) / sizeof(*orders), value);
    if (order >= 0) {
        out->order = (enum am_nodes_order)order;
        return AM_OK;
    }
    near = am_nearest(value, orders, sizeof(orders) / sizeof(*orders));
    return am_fail(err, AM_E_USAGE, "--nodes is together or one-by-one, not \"%s\"%s%s%s", value,
                   near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

/* Parts our words from the others; `rest` has room for all. */
static enum am_status take_own(int argc, const char *const *argv, struct am_cluster_words *out,
                               const char **rest, size_t *n_rest, struct am_err *err)
{
    enum am_status s = AM_OK;

    for (int i = 0; s == AM_OK && i < argc; i++) {
        const char *value;
        const enum own option = i ? own_option(argv[i], &value) : OWN_NONE;

        if (i && strcmp(argv[i], "--keep") == 0) {
            out->keep = true;
            continue;
        }
        if (option == OWN_NONE) {
            rest[(*n_rest)++] = argv[i];
            continue;
        }
        if (!value && i + 1 < argc)
            s = take(out, option, argv[i], argv[i + 1], err), i++;
        else
            s = take(out, option, argv[i], value, err);
    }
    return s;
}

static bool is_operand(const struct am_options *opt, const char *word)
{
    for (size_t i = 0; i < opt->operands.n; i++) {
        if (opt->operands.items[i] == word)
            return true;
    }
    return false;
}

/* Every word but operands and --report, from "run" on. */
static void add_options(const struct am_options *opt, const char *const *rest, size_t n_rest,
                        struct am_strings *to)
{
    for (size_t i = 1; i < n_rest; i++) {
        if (!is_operand(opt, rest[i]) && strcmp(rest[i], "--report") != 0)
            to->items[to->n++] = rest[i];
    }
}

static bool matches_any(const struct am_options *opt, const char *name)
{
    for (size_t i = 0; i < opt->operands.n; i++) {
        if (am_glob_match(opt->operands.items[i], name))
            return true;
    }
    return opt->operands.n == 0;
}

/* No bench of one machine begins like that. */
static bool is_joint_only(const char *pattern)
{
    return strncmp(pattern, "mpi", strlen("mpi")) == 0;
}

/* Whether one of the benches has the axis of "axis=values". */
static bool has_axis(const struct am_cluster_bench *benches, const char *param)
{
    const size_t len = strcspn(param, "=");

    for (; benches->name; benches++) {
        for (const struct am_axis *a = benches->axes; a->name; a++) {
            if (strlen(a->name) == len && strncmp(a->name, param, len) == 0)
                return true;
        }
    }
    return false;
}

/* Takes "-p axis=values" and "--param=..." of axes that the benches do not have out again. */
static void drop_foreign(const struct am_cluster_bench *benches, struct am_strings *command)
{
    size_t kept = 0;

    for (size_t i = 0; i < command->n; i++) {
        const char *const word = command->items[i];
        const bool apart = strcmp(word, "-p") == 0 || strcmp(word, "--param") == 0;
        const bool joined = strncmp(word, "--param=", strlen("--param=")) == 0;

        if (apart && i + 1 < command->n && !has_axis(benches, command->items[i + 1]))
            i++;
        else if (!joined || has_axis(benches, word + strlen("--param=")))
            command->items[kept++] = word;
    }
    command->n = kept;
}

/* "--joint-axes=A,B": what a node's own archmeter need not know. NULL without memory. */
static const char *joint_axes(const struct am_cluster_bench *benches, struct am_arena *arena)
{
    struct am_text text;
    const char *copy;

    am_text_init(&text, AXES_TEXT_MAX);
    am_text_add(&text, "--joint-axes=");
    for (; benches->name; benches++) {
        for (const struct am_axis *a = benches->axes; a->name; a++)
            am_text_addf(&text, "%s,", a->name);
    }
    copy = text.overflow ? NULL : am_arena_strdup(arena, am_text_str(&text));
    am_text_fini(&text);
    return copy;
}

static void choose_local(const struct am_options *opt, struct am_strings *local)
{
    size_t patterns = 0;

    for (size_t i = 0; i < opt->operands.n; i++) {
        if (is_joint_only(opt->operands.items[i]))
            continue;
        local->items[local->n++] = opt->operands.items[i];
        patterns++;
    }
    if (opt->operands.n && patterns == 0)
        local->n = 0;
}

static void choose_joint(const struct am_options *opt, const struct am_cluster_bench *benches,
                         struct am_strings *joint)
{
    size_t options;

    drop_foreign(benches, joint);
    options = joint->n;
    for (; benches->name; benches++) {
        if (matches_any(opt, benches->name))
            joint->items[joint->n++] = benches->name;
    }
    if (joint->n == options)
        joint->n = 0;
}

static enum am_status split(const struct am_options *opt, const char *const *rest, size_t n_rest,
                            const struct am_cluster_bench *joint, struct am_arena *arena,
                            struct am_cluster_words *out, struct am_err *err)
{
    const char *const axes = joint_axes(joint, arena);
    size_t n_joint = 0;

    while (joint[n_joint].name)
        n_joint++;
    /* Room for all that is added below, and for the end that an argument vector has. */
    if (!axes ||
        !am_array_reserve(arena, &out->local.items, 0, &out->local.cap, n_rest + 2,
                          sizeof(*out->local.items)) ||
        !am_array_reserve(arena, &out->joint.items, 0, &out->joint.cap, n_rest + n_joint + 2,
                          sizeof(*out->joint.items)))
        return am_fail(err, AM_E_NOMEM, "no memory for the commands of the nodes");
    add_options(opt, rest, n_rest, &out->local);
    out->local.items[out->local.n++] = axes;
    add_options(opt, rest, n_rest, &out->joint);
    choose_local(opt, &out->local);
    /* the joint benches are named below, and what is named would be measured with more care */
    if (opt->operands.n == 0 && opt->profile == AM_PROFILE_QUICK)
        out->joint.items[out->joint.n++] = "--quick";
    choose_joint(opt, joint, &out->joint);
    return AM_OK;
}

enum am_status am_cluster_words_parse(int argc, const char *const *argv,
                                      const struct am_cluster_bench *joint, struct am_arena *arena,
                                      struct am_cluster_words *out, struct am_err *err)
{
    const char **const rest = am_arena_array(arena, (size_t)argc + 1, sizeof(*rest));
    struct am_options opt;
    size_t n_rest = 0;
    enum am_status s;

    *out = (struct am_cluster_words){.silence_s = silence_s};
    if (!rest)
        return am_fail(err, AM_E_NOMEM, "no memory for the command line");
    s = take_own(argc, argv, out, rest, &n_rest, err);
    if (s == AM_OK)
        s = am_options_parse((int)n_rest, rest, arena, &opt, err);
    if (s != AM_OK)
        return s;
    out->help = opt.help || opt.command == AM_CMD_COUNT;
    out->version = opt.version;
    out->report = opt.report;
    out->launch_limit_s = opt.launch_limit_s > 0 ? opt.launch_limit_s : launch_limit_most_s;
    if (out->help || out->version)
        return AM_OK;
    if (opt.command != AM_CMD_RUN)
        return am_fail(err, AM_E_USAGE,
                       "archmeter-mpi has the command run only, not %s; the merged "
                       "file is read by archmeter",
                       am_commands[opt.command].name);
    if (!out->output)
        return am_fail(err, AM_E_USAGE, "archmeter-mpi run needs the merged file: -o FILE");
    return split(&opt, rest, n_rest, joint, arena, out, err);
}
