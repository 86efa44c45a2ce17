/* SPDX-License-Identifier: MIT */
/* archmeter new bench NAME: the smallest file that can be measured, to begin with. */
#include "base/log.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/own/texts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_BYTES = 40, FILE_MAX = 64 * 1024 };

/* In the order of the option's words. */
static const struct {
    const char *ending, *text;
} languages[] = {{"c", am_own_new_c}, {"cc", am_own_new_cxx}, {"f90", am_own_new_fortran}};

/* A name of all three languages. */
static enum am_status check_name(const char *name, struct am_err *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const size_t n = strlen(name);

    if (n && n <= NAME_MAX_BYTES && strchr(letters, *name) &&
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == n)
        return AM_OK;
    return am_fail(
        err, AM_E_USAGE,
        "\"%s\" is no name for a bench: a letter, then letters, digits and _, at most %d", name,
        NAME_MAX_BYTES);
}

/* The text with the bench's name wherever NAME stands. */
static void fill(const char *text, const char *name, struct am_text *out)
{
    static const char mark[] = "NAME";

    for (const char *at; (at = strstr(text, mark)); text = at + strlen(mark)) {
        am_text_addn(out, text, (size_t)(at - text));
        am_text_add(out, name);
    }
    am_text_add(out, text);
}

static enum am_status write_file(const char *path, const struct am_text *text, struct am_err *err)
{
    FILE *const file = fopen(path, "wxe"); /* x: never over a file that is there */
    bool written;

    if (!file && errno == EEXIST)
        return am_fail(err, AM_E_USAGE, "%s: exists already, and is left as it is", path);
    if (!file)
        return am_fail(err, AM_E_SYS, "cannot write %s", path);
    written = fwrite(am_text_str(text), 1, text->len, file) == text->len;
    written = fclose(file) == 0 && written;
    return written ? AM_OK : am_fail(err, AM_E_SYS, "cannot write %s", path);
}

enum am_status am_cmd_new(struct am_cli *cli, struct am_err *err)
{
    const char *const what = cli->opt->operands.items[0], *const name = cli->opt->operands.items[1];
    const char *const path =
        am_arena_printf(cli->arena, "%s.%s", name, languages[cli->opt->language].ending);
    enum am_status s = AM_OK;
    struct am_text text;

    if (strcmp(what, "bench") != 0)
        return am_fail(err, AM_E_USAGE, "\"%s\" cannot be made; did you mean \"bench\"?", what);
    s = check_name(name, err);
    if (s == AM_OK && !path)
        s = am_fail(err, AM_E_NOMEM, "no memory for a file");
    am_text_init(&text, FILE_MAX);
    fill(languages[cli->opt->language].text, name, &text);
    if (s == AM_OK)
        s = write_file(path, &text, err);
    am_text_fini(&text);
    if (s == AM_OK)
        am_log(AM_LOG_INFO, "wrote %s\nnext:    archmeter run ./%s", path, path);
    return s;
}
