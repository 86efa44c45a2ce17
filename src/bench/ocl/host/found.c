/* SPDX-License-Identifier: MIT */
/* The OpenCL devices of this machine, each driver asked in a process of its own. */
#include "bench/ocl/host/found.h"

#include "base/child.h"
#include "base/text.h"
#include "bench/ocl/host/handed.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    DEVICES_MAX = 64,       /* of one platform */
    ANSWER_MAX = 16 * 1024, /* bytes of a driver's answer */
    ANSWER_FD = 9,          /* of the child */
};

/* ---- what a driver has ---- */

struct platform {
    cl_platform_id id;
    cl_device_id devices[DEVICES_MAX];
    cl_uint n;
};

struct platforms {
    struct platform list[AM_OCL_PLATFORMS_MAX];
    size_t n;
};

static bool is_known(const struct platforms *p, cl_platform_id id)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->list[i].id == id)
            return true;
    }
    return false;
}

/* A loader that reads both variables of the binding names a platform twice. */
static cl_int list_platforms(struct platforms *out)
{
    cl_platform_id ids[2 * AM_OCL_PLATFORMS_MAX];
    cl_uint n = 0;
    const cl_int code = clGetPlatformIDs(2 * AM_OCL_PLATFORMS_MAX, ids, &n);

    out->n = 0;
    for (cl_uint i = 0; code == CL_SUCCESS && i < n && i < 2 * AM_OCL_PLATFORMS_MAX; i++) {
        if (!is_known(out, ids[i]) && out->n < AM_OCL_PLATFORMS_MAX)
            out->list[out->n++].id = ids[i];
    }
    return code;
}

static cl_int list_devices(struct platform *p)
{
    const cl_int code = clGetDeviceIDs(p->id, CL_DEVICE_TYPE_ALL, DEVICES_MAX, p->devices, &p->n);

    if (code != CL_SUCCESS)
        p->n = 0;
    if (p->n > DEVICES_MAX)
        p->n = DEVICES_MAX;
    return code == CL_DEVICE_NOT_FOUND ? CL_SUCCESS : code;
}

enum am_status am_ocl_found_pick(const struct am_ocl_found *found, cl_platform_id *platform,
                                 cl_device_id *device, struct am_err *err)
{
    struct platforms all = {.n = 0};
    cl_int code = list_platforms(&all);

    if (code != CL_SUCCESS)
        return am_ocl_fail(err, code, "clGetPlatformIDs");
    if (found->platform >= all.n)
        return am_fail(err, AM_E_ABSENT, "device %s: its platform is gone", found->name);
    code = list_devices(&all.list[found->platform]);
    if (code != CL_SUCCESS)
        return am_ocl_fail(err, code, "clGetDeviceIDs");
    if (found->device >= all.list[found->platform].n)
        return am_fail(err, AM_E_ABSENT, "device %s is gone", found->name);
    *platform = all.list[found->platform].id;
    *device = all.list[found->platform].devices[found->device];
    return AM_OK;
}

/* ---- names ---- */

static bool begins_with(const char *text, const char *head)
{
    for (; *head; head++, text++) {
        if (tolower((unsigned char)*text) != tolower((unsigned char)*head))
            return false;
    }
    return true;
}

/* What fits, cut at the end of a word. */
static void add_words(char *buf, size_t cap, const char *text)
{
    size_t len = strlen(buf);
    bool gap = len > 0;

    for (; *text && len + 2 < cap; text++) {
        if (!isalnum((unsigned char)*text)) {
            gap = len > 0;
            continue;
        }
        if (gap)
            buf[len++] = '-';
        gap = false;
        buf[len++] = (char)tolower((unsigned char)*text);
    }
    buf[len] = '\0';
    if (isalnum((unsigned char)*text) && strrchr(buf, '-'))
        *strrchr(buf, '-') = '\0';
}

void am_ocl_found_name(const char *icd_suffix, const char *device, char *buf, size_t cap)
{
    buf[0] = '\0';
    if (!begins_with(device, icd_suffix))
        add_words(buf, cap, icd_suffix);
    add_words(buf, cap, device);
    if (!buf[0])
        (void)am_str_copy(buf, cap, "device");
}

/* ---- the child: "= LIBRARY", then one line per device, "PLATFORM DEVICE IDENTITY NAME"; or
 * "! REASON" ---- */

#ifndef CL_PLATFORM_ICD_SUFFIX_KHR
#define CL_PLATFORM_ICD_SUFFIX_KHR 0x0920
#endif

#define DEVICE_UUID 0x106a   /* of cl_khr_device_uuid: 16 bytes */
#define NV_PCI_BUS 0x4008    /* of cl_nv_device_attribute_query */
#define NV_PCI_SLOT 0x4009   /* of the same */
#define NV_PCI_DOMAIN 0x400a /* of the same, in later versions */

/* Who a device is, to tell one that two installations of a driver both offer from two equal ones;
 * 0: it does not say. Two different drivers of one device are two ways to use it. */
static uint64_t identity(cl_device_id d)
{
    struct {
        unsigned char uuid[16];
        cl_uint pci[3];
        char driver[AM_OCL_TEXT_MAX], vendor[AM_OCL_TEXT_MAX];
    } who;

    memset(&who, 0, sizeof(who));
    if (clGetDeviceInfo(d, DEVICE_UUID, sizeof(who.uuid), who.uuid, NULL) != CL_SUCCESS &&
        clGetDeviceInfo(d, NV_PCI_BUS, sizeof(who.pci[0]), &who.pci[0], NULL) != CL_SUCCESS)
        return 0;
    (void)clGetDeviceInfo(d, NV_PCI_SLOT, sizeof(who.pci[1]), &who.pci[1], NULL);
    (void)clGetDeviceInfo(d, NV_PCI_DOMAIN, sizeof(who.pci[2]), &who.pci[2], NULL);
    (void)clGetDeviceInfo(d, CL_DRIVER_VERSION, sizeof(who.driver), who.driver, NULL);
    (void)clGetDeviceInfo(d, CL_DEVICE_VENDOR, sizeof(who.vendor), who.vendor, NULL);
    return am_handed_sum(&who, sizeof(who));
}

static void describe(struct am_text *out, const struct platforms *all, size_t at)
{
    const struct platform *const p = &all->list[at];
    char who[AM_OCL_TEXT_MAX] = "";

    if (clGetPlatformInfo(p->id, CL_PLATFORM_ICD_SUFFIX_KHR, sizeof(who), who, NULL) != CL_SUCCESS)
        (void)clGetPlatformInfo(p->id, CL_PLATFORM_NAME, sizeof(who), who, NULL);
    who[sizeof(who) - 1] = '\0';
    for (cl_uint i = 0; i < p->n; i++) {
        char name[AM_OCL_TEXT_MAX] = "", slug[AM_OCL_NAME_MAX - 4]; /* a number may follow */

        (void)clGetDeviceInfo(p->devices[i], CL_DEVICE_NAME, sizeof(name), name, NULL);
        name[sizeof(name) - 1] = '\0';
        am_ocl_found_name(who, name, slug, sizeof(slug));
        am_text_addf(out, "%zu %u %llu %s\n", at, i, (unsigned long long)identity(p->devices[i]),
                     slug);
    }
}

/* The file that the driver's code is in: every OpenCL object begins with a pointer to a table of
 * the driver's. Two .icd files may name one library. */
static void tell_library(struct am_text *out, const struct platform *p)
{
    const void *const *const object = (const void *const *)(const void *)p->id;
    Dl_info info;
    char *path;

    if (!dladdr(*object, &info) || !info.dli_fname)
        return;
    path = realpath(info.dli_fname, NULL);
    if (path)
        am_text_addf(out, "= %s\n", path);
    free(path);
}

static void ask_driver(const struct am_ocl_icd *icd, struct am_text *out)
{
    struct platforms all = {.n = 0};
    size_t devices = 0;
    cl_int code;

    if (!am_ocl_icd_bind(icd)) {
        am_text_add(out, "! its .icd file cannot be read\n");
        return;
    }
    code = list_platforms(&all);
    if (code != CL_SUCCESS || !all.n) {
        am_text_add(out, "! the driver cannot be loaded or has no platform here\n");
        return;
    }
    tell_library(out, &all.list[0]);
    for (size_t i = 0; i < all.n && code == CL_SUCCESS; i++) {
        code = list_devices(&all.list[i]);
        devices += all.list[i].n;
        describe(out, &all, i);
    }
    if (code != CL_SUCCESS)
        am_text_addf(out, "! clGetDeviceIDs: %s (%d)\n", am_ocl_error_name(code), (int)code);
    else if (!devices)
        am_text_add(out, "! the driver has no device here\n");
}

/* In a process of its own. */
static int answer(void *self)
{
    struct am_text out;

    am_text_init(&out, ANSWER_MAX);
    ask_driver(self, &out);
    return write(ANSWER_FD, am_text_str(&out), out.len) == (ssize_t)out.len ? 0 : 1;
}

/* ---- the parent ---- */

struct child {
    const char *library; /* in `answer`; NULL: not told */
    struct am_child process;
    int fd; /* -1: closed */
    size_t len;
    char answer[ANSWER_MAX];
};

/* What drivers print is nobody's data. */
static void start_child(struct child *c, const struct am_ocl_icd *icd)
{
    int ends[2];

    *c = (struct child){.fd = -1};
    if (pipe2(ends, O_CLOEXEC) == 0) {
        const struct am_child_fd fds[] = {
            {STDOUT_FILENO, AM_CHILD_NULL}, {STDERR_FILENO, AM_CHILD_NULL}, {ANSWER_FD, ends[1]}};
        const struct am_child_plan plan = {
            .body = answer, .self = (void *)icd, .fds = fds, .n_fds = 3};

        c->fd = ends[0];
        if (am_child_start(&plan, &c->process, NULL) != AM_OK) {
            (void)close(c->fd);
            c->fd = -1;
        }
        (void)close(ends[1]);
    }
}

/* False at the end of what the child says. */
static bool take_answer(struct child *c)
{
    const ssize_t n = read(c->fd, c->answer + c->len, sizeof(c->answer) - 1 - c->len);

    if (n < 0 && errno == EINTR)
        return true;
    if (n > 0) {
        c->len += (size_t)n;
        return c->len < sizeof(c->answer) - 1;
    }
    return false;
}

/* Until all have hung up or the time is over. */
static void hear(struct child *children, size_t n, unsigned limit_ms)
{
    const uint64_t end = am_now_ns() + (uint64_t)limit_ms * 1000000;

    for (;;) {
        struct pollfd polls[AM_OCL_ICDS_MAX];
        const uint64_t now = am_now_ns();
        size_t open = 0;

        for (size_t i = 0; i < n; i++) {
            polls[i] = (struct pollfd){.fd = children[i].fd, .events = POLLIN};
            open += children[i].fd >= 0;
        }
        if (!open || now >= end || poll(polls, n, (int)((end - now) / 1000000 + 1)) == 0)
            return;
        for (size_t i = 0; i < n; i++) {
            if (polls[i].fd >= 0 && polls[i].revents && !take_answer(&children[i])) {
                (void)close(children[i].fd);
                children[i].fd = -1;
            }
        }
    }
}

static struct am_ocl_found *new_entry(struct am_ocl_finds *finds, size_t icd)
{
    struct am_ocl_found *const f = &finds->list[finds->n];

    if (finds->n == AM_OCL_FOUND_MAX)
        return NULL;
    finds->n++;
    *f = (struct am_ocl_found){.icd = icd};
    return f;
}

static bool is_taken(const struct am_ocl_finds *finds, const struct am_ocl_found *by)
{
    for (const struct am_ocl_found *f = finds->list; f < by; f++) {
        if (strcmp(f->name, by->name) == 0)
            return true;
    }
    return false;
}

/* Equal devices are numbered from the second on. `name` leaves room for the number. */
static void set_name(const struct am_ocl_finds *finds, struct am_ocl_found *f, const char *name)
{
    (void)am_str_copy(f->name, sizeof(f->name), name);
    for (unsigned number = 2; is_taken(finds, f); number++)
        (void)am_str_format(f->name, sizeof(f->name), "%.*s-%u", AM_OCL_NAME_MAX - 5, name, number);
}

static struct am_ocl_found *add_useless(struct am_ocl_finds *finds, size_t icd, const char *why_not)
{
    struct am_ocl_found *const f = new_entry(finds, icd);
    char file[AM_OCL_TEXT_MAX], name[AM_OCL_NAME_MAX - 4];

    if (!f)
        return NULL;
    am_ocl_icd_name(&finds->icds.list[icd], file, sizeof(file));
    am_ocl_found_name("", file, name, sizeof(name));
    set_name(finds, f, name);
    (void)am_str_format(f->why_not, sizeof(f->why_not), "driver %s: %s", file, why_not);
    return f;
}

static void add_unheard(struct am_ocl_finds *finds, size_t icd, const char *why_not)
{
    struct am_ocl_found *const f = add_useless(finds, icd, why_not);

    if (f)
        f->unheard = true;
}

/* The number that the line begins with, and the space behind it; false when there is none. */
static bool take_number(char **line, uint64_t *out)
{
    char *const end = strchr(*line, ' ');

    if (!end || !am_parse_u64(*line, (size_t)(end - *line), out))
        return false;
    *line = end + 1;
    return true;
}

/* Whether another driver's list has the device already. */
static bool is_offered(const struct am_ocl_finds *finds, size_t icd, uint64_t who)
{
    for (size_t i = 0; who && i < finds->n; i++) {
        if (finds->list[i].icd != icd && finds->list[i].identity == who)
            return true;
    }
    return false;
}

/* False when the line is none of ours. */
static bool add_line(struct am_ocl_finds *finds, size_t icd, char *line)
{
    uint64_t p, d, who;
    struct am_ocl_found *f;

    if (strncmp(line, "! ", 2) == 0) {
        (void)add_useless(finds, icd, line + 2);
        return true;
    }
    if (!take_number(&line, &p) || !take_number(&line, &d) || !take_number(&line, &who))
        return false;
    f = is_offered(finds, icd, who) ? NULL : new_entry(finds, icd);
    if (!f)
        return true;
    f->platform = (size_t)p;
    f->device = (size_t)d;
    f->identity = who;
    set_name(finds, f, line);
    return true;
}

static bool is_again(const struct child *children, size_t icd)
{
    const char *const library = children[icd].library;

    for (size_t i = 0; library && i < icd; i++) {
        if (children[i].library && strcmp(children[i].library, library) == 0)
            return true;
    }
    return false;
}

static void add_answer(struct am_ocl_finds *finds, size_t icd, struct child *children)
{
    struct child *const c = &children[icd];
    char *line = c->answer;

    c->answer[c->len] = '\0';
    for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        if (strncmp(line, "= ", 2) == 0)
            c->library = line + 2;
        else if (is_again(children, icd))
            return; /* the same driver under another name */
        else if (!add_line(finds, icd, line))
            (void)add_useless(finds, icd, "said something that cannot be read");
    }
}

/* A driver that fell after its answer has answered. */
static void judge(struct am_ocl_finds *finds, size_t icd, struct child *children)
{
    struct child *const c = &children[icd];
    char why[AM_OCL_TEXT_MAX];

    if (!c->process.pid) {
        add_unheard(finds, icd, "no process could be started to ask it");
        return;
    }
    if (c->fd >= 0) {
        am_child_kill(&c->process);
        (void)close(c->fd);
    }
    am_child_await(&c->process);
    if (c->len) {
        add_answer(finds, icd, children);
        return;
    }
    if (c->fd >= 0) {
        add_unheard(finds, icd, "does not answer when asked for its devices");
        return;
    }
    if (c->process.signalled)
        (void)am_str_format(why, sizeof(why), "crashed when asked for its devices (signal %d, %s)",
                            c->process.code, strsignal(c->process.code));
    else
        (void)am_str_format(why, sizeof(why), "ended the process when asked for its devices (%d)",
                            c->process.code);
    (void)add_useless(finds, icd, why);
}

void am_ocl_found_ask(struct am_ocl_finds *finds, unsigned limit_ms)
{
    const size_t n = finds->icds.n;
    struct child *const children = calloc(n ? n : 1, sizeof(*children));

    finds->n = 0;
    if (!children)
        return;
    for (size_t i = 0; i < n; i++)
        start_child(&children[i], &finds->icds.list[i]);
    hear(children, n, limit_ms);
    for (size_t i = 0; i < n; i++)
        judge(finds, i, children);
    free(children);
}

/* ---- asked once per run ---- */

static const char kind[] = "devices";

/* The drivers that are installed; false when they are too many to be told. */
static bool key_of(const struct am_ocl_icds *icds, struct am_text *key)
{
    am_text_init(key, AM_HANDED_KEY_MAX);
    for (size_t i = 0; i < icds->n; i++)
        am_text_addf(key, "%s\n%s\n", icds->list[i].path, icds->list[i].library);
    return !key->overflow;
}

/* Takes over what an earlier process was told; false when it is no list of these drivers. */
static bool take_list(struct am_ocl_finds *finds, const struct am_ocl_found *list, size_t bytes)
{
    const size_t n = bytes / sizeof(*list);

    if (bytes % sizeof(*list) || n > AM_OCL_FOUND_MAX)
        return false;
    memcpy(finds->list, list, bytes);
    finds->n = n;
    for (size_t i = 0; i < n; i++) {
        struct am_ocl_found *const f = &finds->list[i];

        if (f->icd >= finds->icds.n || !memchr(f->name, 0, sizeof(f->name)) ||
            !memchr(f->why_not, 0, sizeof(f->why_not)))
            return false;
    }
    return true;
}

/* Whether the list has all that is asked for: every driver has answered, or the wanted device's. */
static bool suffices(const struct am_ocl_finds *finds, const char *wanted)
{
    bool heard = true;

    for (size_t i = 0; i < finds->n; i++) {
        const struct am_ocl_found *const f = &finds->list[i];

        if (wanted && !f->why_not[0] && strcmp(f->name, wanted) == 0)
            return true;
        heard = heard && !f->unheard;
    }
    return heard;
}

void am_ocl_found_learn(struct am_ocl_finds *finds, const char *wanted, unsigned limit_ms)
{
    struct am_text key;
    const bool keyed = key_of(&finds->icds, &key);
    size_t bytes = 0;
    void *const list = keyed ? am_handed_take(kind, am_text_str(&key), &bytes) : NULL;

    if (!list || !take_list(finds, list, bytes) || !suffices(finds, wanted)) {
        am_ocl_found_ask(finds, limit_ms);
        if (keyed && finds->n)
            am_handed_leave(kind, am_text_str(&key), finds->list,
                            finds->n * sizeof(finds->list[0]));
    }
    free(list);
    am_text_fini(&key);
}
