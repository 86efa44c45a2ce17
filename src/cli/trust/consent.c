/* SPDX-License-Identifier: MIT */
/* Consent: what would be run is shown, asked about, and remembered by a MAC. */
#include "cli/trust/consent.h"

#include "base/digest.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/run/datafile.h"
#include "cli/run/experiment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    KEY_MODE = 0600,
    TRUSTED_MAX = 1 << 20, /* bytes */
    BOUND_MAX = 64 << 20,
    SHOWN_MAX = 200,    /* acts; of more than a person reads, nothing is asked */
    SHOWN_BYTES = 2048, /* of one act, likewise */
};

/* ---- what would be done ---- */

/* Nothing that moves a cursor or turns letters around: what is agreed to must be what is seen. */
static const char *plain(const char *text, struct am_arena *arena)
{
    char *const copy = am_arena_strdup(arena, text);

    for (char *p = copy; p && *p; p++) {
        if ((unsigned char)*p < ' ' || (unsigned char)*p >= 0x7f)
            *p = '?';
    }
    return copy;
}

/* Whether a line stands among those that are shown. */
static bool is_shown(const struct am_consent *c, const char *line)
{
    for (size_t i = 0; i < c->acts.n; i++) {
        if (strcmp(c->acts.items[i], line) == 0)
            return true;
    }
    return false;
}

/* The beginning of a line that is too long to be shown. */
static const char *shortened(const char *line, struct am_arena *arena)
{
    return am_arena_printf(arena, "%.*s ... and %zu bytes more", (int)SHOWN_BYTES, line,
                           strlen(line) - SHOWN_BYTES);
}

void am_consent_act(struct am_consent *c, struct am_arena *arena, const char *what,
                    const char *text)
{
    const char *const whole = am_arena_printf(arena, "%s: %s", what, plain(text, arena));
    const bool is_long = whole && strlen(whole) > SHOWN_BYTES;
    const char *const line = is_long ? shortened(whole, arena) : whole;

    if (line && !is_long && is_shown(c, line))
        return;
    c->unshown += is_long || c->acts.n >= SHOWN_MAX;
    c->broken = c->broken || !line || !am_strings_add(&c->text, arena, line) ||
                !am_strings_add(&c->text, arena, text) ||
                (c->acts.n < SHOWN_MAX && !am_strings_add(&c->acts, arena, line));
}

/* ---- an experiment ---- */

static const char *joined(const char *first, const struct am_strings *words, const char *between,
                          struct am_arena *arena)
{
    struct am_text text;
    const char *line;

    am_text_init(&text, AM_SPEC_TEXT_MAX);
    am_text_add(&text, first);
    for (size_t i = 0; i < words->n; i++)
        am_text_addf(&text, "%s%s", i || *first ? between : "", words->items[i]);
    line = am_arena_strdup(arena, am_text_str(&text));
    am_text_fini(&text);
    return line ? line : first;
}

/* Commands are templates: what stands in for their variables is shown with the runs. */
static void add_test(struct am_consent *c, const struct am_spec_test *test, const char *folder,
                     struct am_arena *arena)
{
    const bool shell = test->shell != AM_SPEC_DIRECT;
    const char *const path = !test->path || *test->path == '/'
                                 ? test->path
                                 : am_arena_printf(arena, "%s/%s", folder, test->path);

    if (!test->exec)
        return;
    am_consent_act(c, arena, "works in the folder", path ? path : folder);
    if (path && test->builds.n == 0 && !test->build_none)
        am_consent_act(c, arena, "builds with make, where there is a makefile, in", path);
    for (size_t i = 0; i < test->builds.n; i++)
        am_consent_act(c, arena, shell ? "builds in a shell" : "builds by", test->builds.items[i]);
    if (test->prepare)
        am_consent_act(c, arena, shell ? "prepares in a shell" : "prepares by", test->prepare);
    am_consent_act(c, arena, shell ? "runs in a shell" : "runs",
                   joined(test->exec, &test->args, " ", arena));
    if (test->cleanup)
        am_consent_act(c, arena, shell ? "cleans up in a shell" : "cleans up by", test->cleanup);
}

/* What a run of a program fills the test's commands with, and starts besides. */
static void add_run(struct am_consent *c, const struct am_spec_run *run, const char *clock,
                    struct am_arena *arena)
{
    for (size_t i = 0; i < run->vars.n; i++) {
        const char *const what = am_arena_printf(arena, "where {%s} is", run->vars.items[i].name);

        if (run->vars.items[i].values.n)
            am_consent_act(c, arena, what ? what : "where a variable is",
                           joined("", &run->vars.items[i].values, ", ", arena));
    }
    for (size_t i = 0; i < run->env.n; i++)
        am_consent_act(c, arena, "sets", run->env.items[i]);
    if (*run->argv)
        am_consent_act(c, arena, "adds the arguments", run->argv);
    if (*run->makeflags)
        am_consent_act(c, arena, "adds to make", run->makeflags);
    if (run->cpufreq)
        am_consent_act(c, arena, "sets the clock, by this program where it is there", clock);
}

void am_consent_experiment(struct am_consent *c, const struct am_spec *spec, struct am_arena *arena)
{
    const size_t before = c->acts.n;
    const char *const clock = am_arena_printf(arena, "%s/set_cpufreq", spec->folder);

    for (size_t i = 0; i < spec->n_tests; i++)
        add_test(c, &spec->tests[i], spec->folder, arena);
    for (size_t i = 0; i < spec->n_runs; i++) {
        if (spec->tests[spec->runs[i].test].exec)
            add_run(c, &spec->runs[i], clock ? clock : spec->folder, arena);
    }
    /* All that decides what is done stands in the flat text. */
    if (c->acts.n > before)
        c->broken = c->broken || !am_strings_add(&c->text, arena, spec->flat);
}

enum am_status am_consent_settings(struct am_consent *c, const struct am_kvs *settings,
                                   struct am_arena *arena, struct am_err *err)
{
    static const struct {
        const char *key, *what;
    } meters[] = {
        {"option.meter-command", "runs as a meter"},
        {"option.meter-scpi", "connects to an instrument at"},
        {"option.meter-sys-cfg", "writes ARM's registers of energy through physical memory"},
    };
    struct am_spec spec;
    bool has_spec;
    const enum am_status s = am_experiment_parse(c->file, settings, arena, &has_spec, &spec, err);

    if (s == AM_OK && has_spec)
        am_consent_experiment(c, &spec, arena);
    for (size_t i = 0; i < sizeof(meters) / sizeof(*meters); i++) {
        const char *const value = am_kvs_get(settings, meters[i].key);

        if (value)
            am_consent_act(c, arena, meters[i].what, value);
    }
    return s;
}

/* ---- the key and what was agreed to ---- */

struct bound {
    const char *trusted;      /* the file of MACs; NULL: nothing says where */
    char mac[AM_DIGEST_TEXT]; /* of the text at hand; "" without a key */
};

/* The key of this user, made at first; false where it cannot be had or others may read it. */
static bool read_key(const char *path, unsigned char key[AM_DIGEST_BYTES])
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat st;
    const bool good = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
                      st.st_uid == geteuid() && (st.st_mode & 077) == 0 &&
                      read(fd, key, AM_DIGEST_BYTES) == AM_DIGEST_BYTES;

    if (fd >= 0)
        (void)close(fd);
    return good;
}

static bool make_key(const char *path)
{
    unsigned char key[AM_DIGEST_BYTES];
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, KEY_MODE);
    const bool good = fd >= 0 && getrandom(key, sizeof(key), 0) == (ssize_t)sizeof(key) &&
                      write(fd, key, sizeof(key)) == (ssize_t)sizeof(key) && fsync(fd) == 0;

    if (fd >= 0 && close(fd) == 0 && !good)
        (void)unlink(path);
    return good;
}

/* With the lock held, so that two who come first make one key. */
static bool find_key(const char *path, unsigned char key[AM_DIGEST_BYTES])
{
    return read_key(path, key) ||
           (access(path, F_OK) != 0 && make_key(path) && read_key(path, key));
}

static struct bound bind_text(const struct am_cli *cli, const struct am_consent *c, bool make)
{
    const char *const key_path = am_datafile_path("ARCHMETER_KEY", "key", cli->arena);
    struct bound b = {.trusted = am_datafile_path("ARCHMETER_TRUSTED", "trusted", cli->arena)};
    unsigned char key[AM_DIGEST_BYTES], mac[AM_DIGEST_BYTES];
    struct am_err ignored = {0};
    struct am_text text;
    int lock = -1;
    bool good;

    if (!key_path || !b.trusted)
        return b;
    if (make && access(key_path, F_OK) != 0)
        lock = am_datafile_lock(key_path, cli->arena, &ignored);
    good = make ? find_key(key_path, key) : read_key(key_path, key);
    if (lock >= 0)
        (void)close(lock);
    am_text_init(&text, BOUND_MAX);
    for (size_t i = 0; i < c->text.n; i++)
        am_text_addn(&text, c->text.items[i], strlen(c->text.items[i]) + 1);
    if (good && !text.overflow) {
        am_digest_mac(key, sizeof(key), am_text_str(&text), text.len, mac);
        am_digest_text(mac, b.mac);
    }
    am_text_fini(&text);
    return b;
}

static bool is_known(const struct bound *b)
{
    struct am_err ignored = {0};
    struct am_text text;
    bool there = false, known = false;

    if (!*b->mac)
        return false;
    am_text_init(&text, TRUSTED_MAX);
    if (am_datafile_read(b->trusted, "list of MACs", &there, &text, &ignored) == AM_OK && there)
        known = strstr(am_text_str(&text), b->mac) != NULL;
    am_text_fini(&text);
    return known;
}

/* What cannot be remembered is asked again: no failure. */
static void remember(const struct am_cli *cli, const struct bound *b)
{
    struct am_err ignored = {0};
    struct am_text text;
    bool there = false;
    const int lock = *b->mac ? am_datafile_lock(b->trusted, cli->arena, &ignored) : -1;

    if (lock < 0) {
        am_log(AM_LOG_DEBUG, "the consent is not remembered");
        return;
    }
    am_text_init(&text, TRUSTED_MAX);
    am_text_addf(&text, "%s\n", b->mac);
    if (am_datafile_read(b->trusted, "list of MACs", &there, &text, &ignored) != AM_OK) {
        am_text_clear(&text); /* too long by now: begin anew */
        am_text_addf(&text, "%s\n", b->mac);
    }
    (void)am_datafile_write(b->trusted, &text, cli->arena, &ignored);
    am_text_fini(&text);
    (void)close(lock);
}

void am_consent_give(const struct am_cli *cli, const struct am_consent *c)
{
    struct bound bound;

    if (c->broken || c->acts.n == 0)
        return;
    bound = bind_text(cli, c, true);
    if (!is_known(&bound))
        remember(cli, &bound);
}

/* ---- asking ---- */

static void show(const struct am_consent *c)
{
    am_log(AM_LOG_WARN, "%s comes from somewhere, and would do this as you:", c->file);
    for (size_t i = 0; i < c->acts.n; i++)
        am_log(AM_LOG_WARN, "  %s", c->acts.items[i]);
    if (c->unshown)
        am_log(AM_LOG_WARN, "  %zu of these are more or longer than is shown", c->unshown);
}

static bool ask(void)
{
    char answer[16] = "";

    (void)fputs("Do it? [y/N] ", stderr);
    (void)fflush(stderr);
    return fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

enum am_status am_consent_get(const struct am_cli *cli, const struct am_consent *c,
                              struct am_err *err)
{
    struct bound bound;

    if (c->broken)
        return am_fail(err, AM_E_NOMEM, "no memory for what %s would run", c->file);
    if (c->acts.n == 0)
        return AM_OK;
    bound = bind_text(cli, c, false);
    if (is_known(&bound))
        return AM_OK;
    if (!cli->opt->trust) {
        show(c);
        if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
            return am_fail(err, AM_E_USAGE,
                           "%s would run commands of its own: look at them, and say --trust",
                           c->file);
        if (c->unshown)
            return am_fail(err, AM_E_USAGE,
                           "%s would do more than is shown: read it, and say --trust", c->file);
        if (!ask())
            return am_fail(err, AM_E_USAGE, "nothing of %s was run", c->file);
    }
    am_consent_give(cli, c);
    return AM_OK;
}
