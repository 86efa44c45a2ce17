/* SPDX-License-Identifier: MIT */
/* Microarchitectures by their numbers, and none where the table has none. */
#include "topo/uarch.h"

#include "tap.h"

/* The name for these numbers; "none" where there is none. */
static const char *name(struct am_arena *arena, const char *vendor, const char *family,
                        const char *model, const char *stepping)
{
    struct am_kvs machine = {0};
    const char *found;

    am_kvs_add(&machine, arena, "vendor", vendor);
    am_kvs_add(&machine, arena, "family", family);
    am_kvs_add(&machine, arena, "model", model);
    am_kvs_add(&machine, arena, "stepping", stepping);
    found = am_uarch_name(&machine);
    return found ? found : "none";
}

int main(void)
{
    struct am_arena arena = {0};

    is_str(name(&arena, "AuthenticAMD", "25", "17", "1"), "Zen 4", "family 25 model 17");
    is_str(name(&arena, "AuthenticAMD", "25", "1", "1"), "Zen 3", "family 25 model 1");
    is_str(name(&arena, "AuthenticAMD", "25", "160", "2"), "Zen 4c", "family 25 model 160");
    is_str(name(&arena, "GenuineIntel", "6", "207", "2"), "Emerald Rapids", "family 6 model 207");
    is_str(name(&arena, "GenuineIntel", "6", "85", "4"), "Skylake", "model 85 stepping 4");
    is_str(name(&arena, "GenuineIntel", "6", "85", "7"), "Cascade Lake", "model 85 stepping 7");
    is_str(name(&arena, "GenuineIntel", "6", "85", "9"), "none",
           "a stepping between two is neither");
    is_str(name(&arena, "0x41", "8", "0xd40", "1"), "Neoverse V1", "implementer 0x41 part 0xd40");
    is_str(name(&arena, "AuthenticAMD", "25", "0x11", "unknown"), "Zen 4",
           "where the stepping does not matter it may be unknown");
    is_str(name(&arena, "GenuineIntel", "6", "85", "unknown"), "none", "and where it does, not");
    is_str(name(&arena, "AuthenticAMD", "6", "207", "2"), "none", "the vendor counts");
    is_str(name(&arena, "AuthenticAMD", "99", "17", "1"), "none", "an unknown family");
    is_str(name(&arena, "AuthenticAMD", "25", "unknown", "1"), "none", "an unknown model");
    is_str(name(&arena, "AuthenticAMD", "25", "17x", "1"), "none", "what is no number");
    ok(am_uarch_name(&(struct am_kvs){0}) == NULL, "nothing known, nothing said");
    am_arena_fini(&arena);
    return tap_done();
}
