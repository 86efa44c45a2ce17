/* SPDX-License-Identifier: MIT */
/* Runs one program and keeps what it prints. */
#include "bench/exec/program.h"

#include "core/protocol/protocol.h"

#include <string.h>
#include <unistd.h>

enum { OUTPUT_MAX = 1024 * 1024, LAST_LINE_MAX = 200 };

/* The rest of the text must stay visible to expressions. */
static void show_zeros(struct am_text *output)
{
    for (size_t i = 0; i < output->len; i++) {
        if (output->data[i] == '\0')
            output->data[i] = '?';
    }
}

static enum am_status tell_end(const char *name, const struct am_child *c,
                               const struct am_text *output, struct am_err *err)
{
    const char *const text = am_text_str(output);
    size_t end = output->len, begin;

    while (end && (text[end - 1] == '\n' || text[end - 1] == '\r'))
        end--;
    for (begin = end; begin && text[begin - 1] != '\n'; begin--)
        continue;
    if (end - begin > LAST_LINE_MAX)
        end = begin + LAST_LINE_MAX;
    if (c->signalled)
        return am_fail(err, AM_E_WRONG, "%s was ended by signal %d (%s)", name, c->code,
                       strsignal(c->code));
    return am_fail(err, AM_E_WRONG, "%s ended with exit code %d%s%.*s", name, c->code,
                   end > begin ? ": " : "", (int)(end - begin), text + begin);
}

enum am_status am_exec_program_run(const struct am_exec_program *p, struct am_exec_end *end,
                                   struct am_err *err)
{
    /* The program must not speak for the worker. */
    const int to = p->discard ? AM_CHILD_NULL : AM_CHILD_CAPTURED;
    const struct am_child_fd fds[] = {
        {STDOUT_FILENO, to}, {STDERR_FILENO, to}, {AM_PROTOCOL_FD, AM_CHILD_CLOSED}};
    const struct am_child_limits limits = {.keeps_last = p->keeps_last};
    const struct am_child_plan plan = {.argv = p->argv,
                                       .environment = p->env,
                                       .n_environment = p->n_env,
                                       .folder = p->folder,
                                       .cpus = p->cpus,
                                       .n_cpus = p->n_cpus,
                                       .fds = fds,
                                       .n_fds = sizeof(fds) / sizeof(*fds)};
    struct am_err why = {0};
    struct am_child child;

    *end = (struct am_exec_end){0};
    am_text_init(&end->output, OUTPUT_MAX);
    if (am_child_run(&plan, &limits, &end->output, &child, &why) != AM_OK)
        return am_fail(err, AM_E_WRONG, "%s", why.text);
    show_zeros(&end->output);
    end->elapsed_ns = child.ended_ns - child.started_ns;
    end->code = am_child_shell_code(&child);
    end->usage = child.usage;
    return end->code && !p->any_code ? tell_end(p->argv[0], &child, &end->output, err) : AM_OK;
}
