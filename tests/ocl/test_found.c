/* SPDX-License-Identifier: MIT */
/* Drivers and devices: where they are looked for, what they are called, and those that misbehave.
 * Arguments: the fake driver's library, and another file of the same. */
#include "base/temp_folder.h"
#include "bench/ocl/host/found.h"
#include "bench/ocl/host/handed.h"
#include "tap.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIMIT_MS = 20000, HANG_MS = 100, BOTH_MS = 3000 /* in which a good one answers */ };

/* A folder of .icd files; each names `library`. */
struct folder {
    char path[64];
    const char *library, *another;
};

static void write_icd(const struct folder *f, const char *name)
{
    char path[256];
    FILE *out;

    (void)snprintf(path, sizeof(path), "%s/%s", f->path, name);
    out = fopen(path, "w");
    if (!out)
        return;
    (void)fprintf(out, "%s\n", f->library);
    (void)fclose(out);
}

static void remove_file(const struct folder *f, const char *name)
{
    char path[256];

    (void)snprintf(path, sizeof(path), "%s/%s", f->path, name);
    (void)unlink(path);
}

static void check_list(const struct folder *f)
{
    char named[128];
    struct am_ocl_icds icds = {.n = 0};
    char name[64];

    (void)snprintf(named, sizeof(named), "%s/a.icd", f->path);
    am_ocl_icd_list(&(struct am_ocl_icd_search){.folder = f->path}, &icds);
    ok(icds.n == 2 && strstr(icds.list[0].path, "/a.icd") && strstr(icds.list[1].path, "/b.icd"),
       "a folder's .icd files are found in the order of their names, and nothing else");
    ok(icds.n == 2 && strcmp(icds.list[0].library, f->library) == 0,
       "the library is the first line of the file");
    am_ocl_icd_list(&(struct am_ocl_icd_search){.vendors = f->path, .folder = "/nowhere"}, &icds);
    ok(icds.n == 2, "OCL_ICD_VENDORS may be a folder, and comes first");
    am_ocl_icd_list(&(struct am_ocl_icd_search){.vendors = named}, &icds);
    ok(icds.n == 1 && strcmp(icds.list[0].path, named) == 0, "or a file");
    am_ocl_icd_list(&(struct am_ocl_icd_search){.vendors = "b.icd", .folder = f->path}, &icds);
    ok(icds.n == 1 && strstr(icds.list[0].path, "/b.icd"), "or the name of one in the folder");
    am_ocl_icd_list(&(struct am_ocl_icd_search){.vendors = "libx.so.1"}, &icds);
    ok(icds.n == 1 && strcmp(icds.list[0].library, "libx.so.1") == 0, "or a library");
    am_ocl_icd_name(&icds.list[0], name, sizeof(name));
    is_str(name, "x", "a library is called without lib and what follows the first dot");
    am_ocl_icd_list(
        &(struct am_ocl_icd_search){.folder = "/nowhere", .filenames = "a.so::/x/b.so:"}, &icds);
    ok(icds.n == 2 && strcmp(icds.list[1].path, "/x/b.so") == 0,
       "OCL_ICD_FILENAMES adds libraries; empty names are passed over");
    am_ocl_icd_list(&(struct am_ocl_icd_search){.folder = "/nowhere"}, &icds);
    ok(icds.n == 0, "no folder, no driver");
}

static void check_names(void)
{
    static const struct {
        const char *suffix, *device, *want;
    } cases[] = {
        {"NV", "NVIDIA H200", "nvidia-h200"},
        {"POCL", "pthread-znver3-AMD EPYC 7B13", "pocl-pthread-znver3-amd-epyc-7b13"},
        {"AMD", "gfx942:sramecc+:xnack-", "amd-gfx942-sramecc-xnack"},
        {"FAKE", "Marble & Co. (R) 9000", "fake-marble-co-r-9000"},
        {"", "", "device"},
        {"X", "  odd  ", "x-odd"},
    };
    char name[AM_OCL_NAME_MAX];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        am_ocl_found_name(cases[i].suffix, cases[i].device, name, sizeof(name));
        ok(strcmp(name, cases[i].want) == 0, "\"%s\" of %s is called %s", cases[i].device,
           cases[i].suffix[0] ? cases[i].suffix : "nobody", name);
    }
    am_ocl_found_name("LONG", "one two three four five six seven eight nine ten", name, 20);
    is_str(name, "long-one-two-three", "a name that is too long ends with a whole word");
}

static void ask(const struct folder *f, const char *acts, unsigned limit_ms,
                struct am_ocl_finds *finds)
{
    (void)setenv("AM_FAKE_OCL", acts, 1);
    am_ocl_icd_list(&(struct am_ocl_icd_search){.folder = f->path}, &finds->icds);
    am_ocl_found_ask(finds, limit_ms);
}

/* Acts under which the driver is an entry that says why it cannot be used. */
static void check_bad(const struct folder *f, struct am_ocl_finds *finds)
{
    static const struct {
        const char *acts, *reason;
        unsigned limit_ms;
    } cases[] = {
        {"clGetPlatformIDs=crash", "crashed", LIMIT_MS},
        {"clGetDeviceIDs=crash", "Segmentation fault", LIMIT_MS},
        {"clGetDeviceInfo=crash", "crashed", LIMIT_MS},
        {"clGetDeviceIDs=hang", "does not answer", HANG_MS},
        {"clGetDeviceIDs=exit", "ended the process when asked for its devices (7)", LIMIT_MS},
        {"clGetDeviceIDs=-6", "CL_OUT_OF_HOST_MEMORY (-6)", LIMIT_MS},
        {"clGetPlatformIDs=-1001", "cannot be loaded", LIMIT_MS},
        {"devices=0", "has no device here", LIMIT_MS},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ask(f, cases[i].acts, cases[i].limit_ms, finds);
        ok(finds->n == 1 && strcmp(finds->list[0].name, "a") == 0 &&
               strstr(finds->list[0].why_not, cases[i].reason),
           "%s: %s", cases[i].acts, finds->n ? finds->list[0].why_not : "nothing found");
    }
}

static void check_good(const struct folder *f, struct am_ocl_finds *finds)
{
    static const char first[] = "fake-marble-co-r-9000", second[] = "fake-marble-co-r-9000-2";
    struct folder other = *f;

    other.library = f->another;

    ask(f, "", LIMIT_MS, finds);
    ok(finds->n == 1 && strcmp(finds->list[0].name, first) == 0 && !finds->list[0].why_not[0],
       "a driver that answers is a usable device");
    ask(f, "devices=3", LIMIT_MS, finds);
    ok(finds->n == 3 && strcmp(finds->list[0].name, first) == 0 &&
           strcmp(finds->list[1].name, second) == 0 &&
           strcmp(finds->list[2].name, "fake-marble-co-r-9000-3") == 0 &&
           finds->list[2].device == 2,
       "equal devices are numbered from the second on");
    write_icd(f, "b.icd");
    ask(f, "", LIMIT_MS, finds);
    ok(finds->n == 1 && finds->list[0].icd == 0, "two files that name one library are one driver");
    write_icd(&other, "b.icd");
    ask(f, "", LIMIT_MS, finds);
    ok(finds->n == 2 && finds->list[1].icd == 1 && strcmp(finds->list[1].name, second) == 0,
       "also those of different drivers");
    ask(f, "uuid=yes,devices=2", LIMIT_MS, finds);
    ok(finds->n == 2 && finds->list[1].icd == 0 && finds->list[1].device == 1,
       "unless they say who they are: then each is one device, however many libraries have it");
    remove_file(f, "b.icd");
}

static void learn(const struct folder *f, const char *acts, unsigned limit_ms,
                  struct am_ocl_finds *finds)
{
    (void)setenv("AM_FAKE_OCL", acts, 1);
    am_ocl_icd_list(&(struct am_ocl_icd_search){.folder = f->path}, &finds->icds);
    am_ocl_found_learn(finds, NULL, limit_ms);
}

/* Drivers are asked once per run: what the fake driver would say the second time is not heard. */
static void check_handed_on(const struct folder *f, struct am_ocl_finds *finds)
{
    struct folder run = {.path = "/tmp/am-found-XXXXXX"};
    char path[AM_OCL_PATH_MAX];
    char key[2 * AM_OCL_PATH_MAX + 2];

    (void)unsetenv(AM_RUN_FOLDER);
    learn(f, "devices=2", LIMIT_MS, finds);
    learn(f, "devices=3", LIMIT_MS, finds);
    ok(finds->n == 3, "without a folder of the run everybody asks");
    if (!mkdtemp(run.path))
        return;
    (void)setenv(AM_RUN_FOLDER, run.path, 1);
    learn(f, "clGetDeviceIDs=hang", HANG_MS, finds);
    learn(f, "devices=2", LIMIT_MS, finds);
    ok(finds->n == 2 && !finds->list[0].why_not[0],
       "a driver that did not answer in time is asked again");
    learn(f, "devices=3", LIMIT_MS, finds);
    ok(finds->n == 2 && strcmp(finds->list[1].name, "fake-marble-co-r-9000-2") == 0,
       "what it said is known to the processes after it");
    (void)snprintf(key, sizeof(key), "%s\n%s\n", finds->icds.list[0].path,
                   finds->icds.list[0].library);
    am_handed_leave("devices", key, "nonsense", sizeof("nonsense"));
    learn(f, "devices=3", LIMIT_MS, finds);
    ok(finds->n == 3, "what is no list is not believed");
    ok(am_handed_path("devices", key, path, sizeof(path)) && unlink(path) == 0 &&
           rmdir(run.path) == 0,
       "and nothing else is left in the folder");
    (void)unsetenv(AM_RUN_FOLDER);
}

/* A driver that hangs is waited for once per run, by those who want another's device. */
static void check_hanging(const struct folder *f, struct am_ocl_finds *finds)
{
    static const char name[] = "fake-marble-co-r-9000";
    struct folder run = {.path = "/tmp/am-found-XXXXXX"}, other = *f;
    bool usable;

    other.library = f->another;
    write_icd(&other, "b.icd");
    if (!mkdtemp(run.path))
        return;
    (void)setenv(AM_RUN_FOLDER, run.path, 1);
    learn(f, "library=_too,clGetDeviceIDs=hang", BOTH_MS, finds);
    ok(finds->n == 2 && !finds->list[0].why_not[0] && finds->list[1].unheard,
       "beside a driver that hangs the other's device is found");
    (void)setenv("AM_FAKE_OCL", "clGetDeviceIDs=crash", 1);
    am_ocl_found_learn(finds, name, LIMIT_MS);
    usable = finds->n == 2 && !finds->list[0].why_not[0];
    ok(usable, "who wants that device asks nobody again");
    am_ocl_found_learn(finds, "b", LIMIT_MS);
    ok(finds->n > 0 && strstr(finds->list[0].why_not, "crashed"),
       "who wants that of the driver that hung does");
    (void)unsetenv(AM_RUN_FOLDER);
    am_folder_remove(run.path);
    remove_file(f, "b.icd");
}

/* One bad driver among good ones. */
static void check_mixed(const struct folder *f, struct am_ocl_finds *finds)
{
    const struct folder broken = {.library = "/nowhere/libgone.so"};
    struct folder both = broken;

    memcpy(both.path, f->path, sizeof(both.path));
    write_icd(&both, "0broken.icd");
    ask(f, "", LIMIT_MS, finds);
    ok(finds->n == 2 && finds->list[0].why_not[0] && !finds->list[1].why_not[0] &&
           finds->list[1].icd == 1,
       "a driver that cannot be loaded hides no other: %s",
       finds->n ? finds->list[0].why_not : "nothing found");
    remove_file(f, "0broken.icd");
}

int main(int argc, char **argv)
{
    struct folder f = {.path = "am-icd-XXXXXX",
                       .library = argc > 2 ? argv[1] : "",
                       .another = argc > 2 ? argv[2] : ""};
    struct am_ocl_finds *const finds = calloc(1, sizeof(*finds));

    if (!finds || !mkdtemp(f.path))
        return 1;
    write_icd(&f, "b.icd");
    write_icd(&f, "a.icd");
    write_icd(&f, "readme.txt");
    check_list(&f);
    remove_file(&f, "b.icd");
    check_names();
    check_bad(&f, finds);
    check_good(&f, finds);
    check_handed_on(&f, finds);
    check_hanging(&f, finds);
    check_mixed(&f, finds);
    remove_file(&f, "a.icd");
    remove_file(&f, "readme.txt");
    (void)rmdir(f.path);
    free(finds);
    return tap_done();
}
