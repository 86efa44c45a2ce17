/* SPDX-License-Identifier: MIT */
/* Building, with a ledger of what stands built. */
#include "bench/exec/make.h"

#include "bench/exec/ledger.h"

enum { COMMANDS_MAX = 256 };

static enum am_status run_all(const struct am_exec_program *commands, size_t n, struct am_err *err)
{
    enum am_status s = AM_OK;

    for (size_t i = 0; i < n && s == AM_OK; i++) {
        struct am_exec_end end;
        struct am_err why = {0};

        s = am_exec_program_run(&commands[i], &end, &why);
        if (s != AM_OK)
            (void)am_fail(err, s, "building: %s", why.text);
        am_text_fini(&end.output);
    }
    return s;
}

enum am_status am_exec_make(const struct am_exec_point *point, struct am_arena *arena,
                            struct am_err *err)
{
    struct am_exec_program *const commands = am_arena_array(arena, COMMANDS_MAX, sizeof(*commands));
    uint64_t hash = AM_EXEC_HASH_BASIS;
    enum am_status s = commands ? AM_OK : am_fail(err, AM_E_NOMEM, "no memory to build with");
    size_t n = 0;

    for (; s == AM_OK && n < COMMANDS_MAX; n++) {
        s = am_exec_build_command(point, n, arena, &commands[n], err);
        if (s == AM_OK)
            hash = am_exec_hash(hash, &commands[n]);
        else
            break;
    }
    s = s == AM_E_ABSENT ? AM_OK : s;
    if (s != AM_OK || n == 0 || am_exec_ledger_has(hash, point->of->folder, arena))
        return s;
    s = run_all(commands, n, err);
    if (s == AM_OK)
        am_exec_ledger_note(hash, point->of->folder);
    return s;
}
