/* SPDX-License-Identifier: MIT */
/* What the fake driver is told to do: the list of acts in AM_FAKE_OCL (fake_icd.c says which). */
#ifndef AM_TESTS_OCL_FAKE_ACTS_H
#define AM_TESTS_OCL_FAKE_ACTS_H

#include <CL/cl.h>

#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What stands behind "NAME=" in the list, whomever it is for; or NULL. */
static const char *listed(const char *name)
{
    const char *at = getenv("AM_FAKE_OCL");
    const size_t len = strlen(name);

    for (; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        if (strncmp(at, name, len) == 0 && at[len] == '=')
            return at + len + 1;
    }
    return NULL;
}

/* Acts may be for one of several libraries of this driver only: "library=_too". */
static bool is_meant(void)
{
    const char *const part = listed("library");
    const size_t len = part ? strcspn(part, ",") : 0;
    Dl_info own;
    const char *name;

    if (!part || !dladdr((const void *)(uintptr_t)listed, &own) || !own.dli_fname)
        return true;
    for (name = own.dli_fname; *name && strncmp(name, part, len) != 0; name++)
        ;
    return *name != '\0';
}

static const char *told(const char *name)
{
    return is_meant() ? listed(name) : NULL;
}

static bool says(const char *name, const char *word)
{
    const char *const text = told(name);

    return text && strncmp(text, word, strlen(word)) == 0;
}

/* Whether the device is gone: it takes so many commands of a file's kind (kernels, transfers), and
 * none after them. */
static bool is_gone(const char *call)
{
    static unsigned long commands;
    const char *const most = told("lost");

    if (!most || strncmp(call, "clEnqueue", strlen("clEnqueue")) != 0)
        return false;
    return ++commands > strtoul(most, &(char *){NULL}, 10);
}

/* CL_SUCCESS when the call shall do its work. */
static cl_int act(const char *call)
{
    if (is_gone(call))
        return CL_OUT_OF_RESOURCES;
    if (says(call, "crash"))
        (void)raise(SIGSEGV);
    if (says(call, "exit"))
        _exit(7);
    while (says(call, "hang"))
        (void)pause();
    return says(call, "-") ? -(cl_int)strtoul(told(call) + 1, &(char *){NULL}, 10) : CL_SUCCESS;
}

#endif
