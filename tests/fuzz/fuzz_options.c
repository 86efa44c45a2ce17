/* SPDX-License-Identifier: MIT */
/* libFuzzer: any command line either parses or is refused with a story. The input is argv's words,
 * parted by NUL bytes. */
#include "cli/words/options.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 64, BYTES_MAX = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

/* What the commands rely on without looking. `alone`: the program's name was all that was typed. */
static void check_parsed(const struct am_options *o, bool alone)
{
    if (o->help || o->version || (alone && o->command == AM_CMD_COUNT))
        return;
    check(o->command < AM_CMD_COUNT);
    check(o->operands.n >= am_commands[o->command].min_operands);
    check(o->operands.n <= am_commands[o->command].max_operands);
    check(o->launches.min <= o->launches.max);
    check(!(o->target >= 1) && !(o->delta >= 1));
    for (size_t i = 0; i < o->params.n; i++)
        check(strchr(o->params.items[i], '=') != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *argv[WORDS_MAX + 1] = {"archmeter"};
    struct am_arena arena = {0};
    struct am_options options;
    struct am_err err = {0};
    char bytes[BYTES_MAX + 1];
    enum am_status status;
    int argc = 1;

    if (size > BYTES_MAX)
        return 0;
    if (size)
        memcpy(bytes, data, size);
    bytes[size] = '\0';
    for (size_t at = 0; at < size && argc < WORDS_MAX; at += strlen(bytes + at) + 1)
        argv[argc++] = bytes + at;
    status = am_options_parse(argc, argv, &arena, &options, &err);
    if (status == AM_OK)
        check_parsed(&options, argc == 1);
    else
        check(status == AM_E_USAGE && err.text[0] != '\0');
    am_arena_fini(&arena);
    return 0;
}
