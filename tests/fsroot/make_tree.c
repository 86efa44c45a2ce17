/* SPDX-License-Identifier: MIT */
/* Writes the tree of a named machine for tests that give `--fsroot DIR`: make_tree NAME DIR. */
#include "fsroot/machines.h"

int main(int argc, char **argv)
{
    struct tree t = {.broken = false};

    if (argc != 3) {
        for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
            printf("%s\n", machines[i].name);
        return argc == 1 ? 0 : 2;
    }
    (void)snprintf(t.path, sizeof(t.path), "%s", argv[2]);
    tree_dir(&t, "");
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        if (strcmp(machines[i].name, argv[1]) != 0)
            continue;
        machines[i].write(&t);
        return t.broken ? 1 : 0;
    }
    fprintf(stderr, "make_tree: no machine \"%s\"\n", argv[1]);
    return 2;
}
