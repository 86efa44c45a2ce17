/* SPDX-License-Identifier: MIT */
/* archmeter-worker-sim: plays the workers of a machine that is not here.
 *
 * Started through a link FOLDER/workers/archmeter-worker-NAME it plays the worker NAME on the
 * machine of FOLDER. Started by its own name it lists no benches; `--check FILE` reads a
 * description, and `--keys` prints the format's reference. */
#include "base/log.h"
#include "sim/serve.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "archmeter-worker-"
#define OWN_NAME "sim"

enum { EXIT_FINE = 0, EXIT_WRONG = 2, KEYS_MAX = 256 * 1024 };

/* The worker whose part is played, and the machine's folder, from "FOLDER/workers/PREFIX-NAME". */
static bool find_part(const char *started_as, char folder[PATH_MAX], const char **worker)
{
    const char *const slash = strrchr(started_as, '/');
    const char *const name = slash ? slash + 1 : started_as;
    const size_t prefix = strlen(PREFIX);
    char *end;

    if (!slash || strncmp(name, PREFIX, prefix) != 0)
        return false;
    *worker = name + prefix;
    if (strcmp(*worker, OWN_NAME) == 0 || (size_t)(slash - started_as) >= PATH_MAX)
        return false;
    memcpy(folder, started_as, (size_t)(slash - started_as));
    folder[slash - started_as] = '\0';
    end = strrchr(folder, '/');
    if (!end || strcmp(end, "/workers") != 0)
        return false;
    *end = '\0';
    return true;
}

static int print(struct am_text *text)
{
    const bool written =
        !text->overflow && write(STDOUT_FILENO, am_text_str(text), text->len) == (ssize_t)text->len;

    am_text_fini(text);
    return written ? EXIT_FINE : EXIT_WRONG;
}

static int print_keys(void)
{
    struct am_text text;

    am_text_init(&text, KEYS_MAX);
    am_sim_machine_document(&text);
    return print(&text);
}

static int check_file(const char *path)
{
    struct am_sim_machine m;
    struct am_arena arena = {0};
    struct am_err err = {0};
    struct am_text text;
    int code = EXIT_WRONG;

    am_text_init(&text, KEYS_MAX);
    if (am_sim_machine_load(path, &arena, &m, &err) == AM_OK) {
        am_text_addf(&text, "%s: %llu CPUs\n", m.name, (unsigned long long)am_sim_cpu_count(&m));
        code = print(&text);
    } else {
        am_log(AM_LOG_ERROR, "%s", err.text);
    }
    am_arena_fini(&arena);
    return code;
}

static int list_nothing(void)
{
    struct am_text text;

    am_text_init(&text, KEYS_MAX);
    am_listing_write(&text, OWN_NAME, (const struct am_bench *const[]){NULL});
    return print(&text);
}

int main(int argc, char **argv)
{
    char folder[PATH_MAX];
    const char *worker = NULL;
    const bool part = find_part(argv[0], folder, &worker);

    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return part ? am_sim_list(folder, worker) : list_nothing();
    if (argc == 2 && strcmp(argv[1], "--keys") == 0)
        return print_keys();
    if (argc == 3 && strcmp(argv[1], "--check") == 0)
        return check_file(argv[2]);
    if (argc == 1 && part && fcntl(AM_PROTOCOL_FD, F_GETFD) >= 0)
        return am_sim_serve(folder, worker, AM_PROTOCOL_FD);
    am_log(AM_LOG_ERROR, "this is the simulator of machines; it is started by `archmeter --machine "
                         "FILE run`, or with --check FILE or --keys");
    return EXIT_WRONG;
}
