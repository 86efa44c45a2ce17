/* SPDX-License-Identifier: MIT */
/* Files of wisdom. None of this may fail a measurement: every fault is an answer. */
#include "app/fft/fft_wisdom.h"

#include "base/text.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_MAX = 16 << 20, INFO_MAX = 16384 };

/* Reads until `cap` bytes or the end; -1 on a fault. */
static ssize_t read_all(const char *path, char *buf, size_t cap)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t n = 0;
    ssize_t got = -1;

    if (fd < 0)
        return -1;
    while (n < cap && (got = read(fd, buf + n, cap - n)) > 0)
        n += (size_t)got;
    (void)close(fd);
    return got < 0 ? -1 : (ssize_t)n;
}

static uint64_t add_hash(uint64_t hash, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3; /* FNV-1a */
    return hash;
}

/* Lines of the first CPU that say which it is, on x86-64 and on AArch64; not its clock or number.
 */
static bool identifies(const char *line)
{
    static const char *const words[] = {
        "vendor_id", "cpu family", "model",    "stepping",    "cache size", "flags",
        "Features",  "CPU impl",   "CPU part", "CPU variant", "CPU arch",   "CPU rev",
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strncmp(line, words[i], strlen(words[i])) == 0)
            return true;
    }
    return false;
}

static uint64_t hash_cpu(void)
{
    char info[INFO_MAX];
    const ssize_t n = read_all("/proc/cpuinfo", info, sizeof(info) - 1);
    uint64_t hash = 0xcbf29ce484222325;

    info[n > 0 ? n : 0] = '\0';
    for (const char *line = info; *line && *line != '\n';) {
        const size_t length = strcspn(line, "\n");

        if (identifies(line))
            hash = add_hash(hash, line, length);
        line += length + (line[length] == '\n');
    }
    return hash;
}

/* Nothing that was there already is a fault. */
static void make_folder(const char *path)
{
    (void)mkdir(path, 0777);
}

bool am_fft_wisdom_path(const char *version, const char *purpose, char *path)
{
    const char *const cache = getenv("XDG_CACHE_HOME"), *const home = getenv("HOME");
    char folder[AM_FFT_PATH_MAX];
    bool fits;

    if (cache && cache[0] == '/')
        fits = am_str_copy(folder, sizeof(folder), cache);
    else if (home && home[0] == '/')
        fits = am_str_format(folder, sizeof(folder), "%s/.cache", home);
    else
        return false;
    make_folder(folder);
    fits = fits && am_str_format(path, AM_FFT_PATH_MAX, "%s/archmeter", folder);
    make_folder(path);
    return fits && am_str_format(path, AM_FFT_PATH_MAX, "%s/archmeter/%s-%016llx-%s.wisdom", folder,
                                 version, (unsigned long long)hash_cpu(), purpose);
}

char *am_fft_wisdom_read(const char *path)
{
    struct stat info;
    char *text;
    ssize_t n;

    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > TEXT_MAX)
        return NULL;
    text = malloc((size_t)info.st_size + 1);
    n = text ? read_all(path, text, (size_t)info.st_size) : -1;
    if (n < 0) {
        free(text);
        return NULL;
    }
    text[n] = '\0';
    return text;
}

bool am_fft_wisdom_write(const char *path, const char *text)
{
    char draft[AM_FFT_PATH_MAX + 32];
    const size_t length = strlen(text);
    FILE *file;
    bool good;

    if (!am_str_format(draft, sizeof(draft), "%s.%ld", path, (long)getpid()))
        return false;
    file = fopen(draft, "we");
    if (!file)
        return false;
    good = fwrite(text, 1, length, file) == length;
    good = fclose(file) == 0 && good;
    good = good && rename(draft, path) == 0;
    if (!good)
        (void)unlink(draft);
    return good;
}
