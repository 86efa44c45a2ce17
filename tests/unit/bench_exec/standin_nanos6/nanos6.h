/* SPDX-License-Identifier: MIT */
/* Stands in for the headers of Nanos6: the types and functions that the adapter uses, by the names
 * and parameters that the real ones have. Fields that the adapter does not set are left out, so the
 * layout is not the real one; the real headers bring their own. */
#ifndef AM_TESTS_NANOS6_H
#define AM_TESTS_NANOS6_H

#include <stddef.h>

enum { nanos6_host_device = 0 };

#define nanos6_address_translation_entry_t struct nanos6_address_translation_entry
struct nanos6_address_translation_entry {
    size_t local_address, device_address;
};

#define nanos6_task_implementation_info_t struct nanos6_task_implementation_info
struct nanos6_task_implementation_info {
    int device_type_id;
    void (*run)(void *args, void *device, nanos6_address_translation_entry_t *table);
    const char *task_type_label, *declaration_source;
};

#define nanos6_task_info_t struct nanos6_task_info
struct nanos6_task_info {
    int num_symbols;
    void (*register_depinfo)(void *args, void *bounds, void *handler);
    int implementation_count;
    nanos6_task_implementation_info_t *implementations;
    void *task_type_data;
};

#define nanos6_task_invocation_info_t struct nanos6_task_invocation_info
struct nanos6_task_invocation_info {
    const char *invocation_source;
};

void nanos6_register_task_info(nanos6_task_info_t *info);
/* One more than a function of ours may have. */
#define NANOS6_CREATE_PARAMETERS                                                                   \
    nanos6_task_info_t *info, nanos6_task_invocation_info_t *where, const char *label,             \
        size_t args_bytes, void **args_p, void **task_p, size_t flags, size_t num_deps
void nanos6_create_task(NANOS6_CREATE_PARAMETERS);
void nanos6_submit_task(void *task);
void nanos6_taskwait(const char *where);
void nanos6_register_region_read_depinfo1(void *handler, int symbol, const char *text, void *base,
                                          long size, long start, long end);
void nanos6_register_region_write_depinfo1(void *handler, int symbol, const char *text, void *base,
                                           long size, long start, long end);

#endif
