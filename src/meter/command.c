/* SPDX-License-Identifier: MIT */
/* A meter that is a program: it prints watts each time it is run. Its words go to the program as
 * they are; no shell sees them. */
#include "base/child.h"
#include "base/clock.h"
#include "base/text.h"
#include "meter/meter.h"

#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 64, OUTPUT_MAX = 255 };

static const uint64_t interval_ns = 200 * UINT64_C(1000000);
static const double patience_s = 5;

struct program {
    char *words[WORDS_MAX + 1];
};

/* Words apart at spaces; "double quotes" keep spaces together. False when there are none, or a
 * quote stays open. */
static bool split(struct program *p, char *text)
{
    size_t n = 0;

    for (;;) {
        char *end;

        text += strspn(text, " \t");
        if (*text == '\0')
            break;
        if (n == WORDS_MAX)
            return false;
        if (*text == '"') {
            end = strchr(++text, '"');
            if (!end)
                return false;
        } else {
            end = text + strcspn(text, " \t");
        }
        p->words[n++] = text;
        if (*end == '\0')
            break;
        *end = '\0';
        text = end + 1;
    }
    return n > 0;
}

/* What the program prints, up to its end or the end of patience. */
static enum am_status run(const struct program *p, struct am_text *output, struct am_err *err)
{
    static const struct am_child_fd fds[] = {{STDIN_FILENO, AM_CHILD_NULL},
                                             {STDOUT_FILENO, AM_CHILD_CAPTURED}};
    const struct am_child_plan plan = {
        .argv = (const char *const *)p->words, .fds = fds, .n_fds = 2};
    const struct am_child_limits limits = {.seconds = patience_s, .ends_when_full = true};
    struct am_child child;
    const enum am_status s = am_child_run(&plan, &limits, output, &child, err);

    /* One that was killed for talking on has said its number; what says itself that it failed has
     * none. */
    if (s == AM_OK && !child.signalled && child.code != 0)
        return am_fail(err, AM_E_ABSENT, "the meter's command ended with code %d", child.code);
    return s;
}

static enum am_status parse(char *output, double *watts, struct am_err *err)
{
    output[strcspn(output, "\r\n")] = '\0';
    if (!am_parse_f64(output, strcspn(output, " \tW"), watts) || output[0] == '\0')
        return am_fail(err, AM_E_PARSE, "the meter's command printed \"%.40s\", not watts", output);
    return AM_OK;
}

static enum am_status read_program(void *self, struct am_reading *out, struct am_err *err)
{
    char empty[] = "";
    struct am_text output;
    enum am_status s;

    am_text_init(&output, OUTPUT_MAX);
    out->t0_ns = am_now_ns();
    s = run(self, &output, err);
    out->t1_ns = am_now_ns();
    if (s == AM_OK)
        s = parse(output.data ? output.data : empty, &out->watts, err);
    am_text_fini(&output);
    return s;
}

enum am_status am_meter_open_command(const struct am_meter_request *request, struct am_arena *arena,
                                     struct am_meters *out, struct am_err *err)
{
    struct program *const p = am_arena_alloc(arena, sizeof(*p));
    char *const text = request->command ? am_arena_strdup(arena, request->command) : NULL;
    struct am_reading reading;
    struct am_err why = {0};
    struct am_meter *m;

    if (!request->command)
        return AM_OK;
    if (!p || !text)
        return am_fail(err, AM_E_NOMEM, "no memory for the meters");
    if (!split(p, text))
        return am_fail(err, AM_E_USAGE,
                       "the meter's command \"%s\" is empty, too long, or has an open quote",
                       request->command);
    m = am_meters_add(out, "command");
    if (!m)
        return AM_OK;
    m->id = "command";
    m->scope = AM_SCOPE_WALL;
    m->kind = AM_METER_POWER;
    m->covers = "what the given command measures";
    m->slow = true;
    m->interval_ns = interval_ns;
    m->self = p;
    m->read = read_program;
    if (read_program(p, &reading, &why) != AM_OK)
        m->why_not = am_arena_strdup(arena, why.text);
    return AM_OK;
}
