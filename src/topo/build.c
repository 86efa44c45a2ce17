/* SPDX-License-Identifier: MIT */
/* How this program was built: the compiler's own word where it gives one, Meson's otherwise. */
#include "topo/build.h"
#include "topo/topo.h"

#include "build_commit.h"
#include "build_info.h"

#include <string.h>

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

#ifdef __OPTIMIZE__
#define OPTIMIZED true
#else
#define OPTIMIZED false
#endif

#ifdef NDEBUG
#define ASSERTIONS false
#else
#define ASSERTIONS true
#endif

/* GCC defines macros, clang answers questions; both only for the sanitizers that slow code most. */
#ifndef __has_feature
#define __has_feature(word) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                               \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define INSTRUMENTED true
#else
#define INSTRUMENTED false
#endif

static const struct am_build build = {
    .optimized = OPTIMIZED,
    .assertions = ASSERTIONS,
    .type = AM_BUILD_TYPE,
    .flags = AM_BUILD_FLAGS,
};

const struct am_build *am_build_facts(void)
{
    return &build;
}

const char *am_build_sanitizers(void)
{
    if (strcmp(AM_BUILD_SANITIZERS, "none") != 0)
        return AM_BUILD_SANITIZERS;
    return INSTRUMENTED ? "by compiler flags" : NULL;
}

/* How the kernels of each instruction set were compiled. */
static const struct am_kv kernels[] = {AM_BUILD_KERNELS};

void am_build_describe(struct am_arena *arena, struct am_kvs *out)
{
    const char *sanitizers = am_build_sanitizers();

    am_kvs_add(out, arena, "version", AM_BUILD_VERSION);
    am_kvs_add(out, arena, "commit", AM_BUILD_COMMIT);
    am_kvs_add(out, arena, "compiler", COMPILER);
    am_kvs_add(out, arena, "flags", build.flags);
    am_kvs_add(out, arena, "build_type", build.type);
    am_kvs_add(out, arena, "optimised", build.optimized ? "yes" : "no");
    am_kvs_add(out, arena, "assertions", build.assertions ? "yes" : "no");
    am_kvs_add(out, arena, "sanitizers", sanitizers ? sanitizers : "none");
    for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
        am_kvs_add(out, arena, kernels[i].key, kernels[i].value);
}
