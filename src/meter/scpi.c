/* SPDX-License-Identifier: MIT */
/* A bench power meter that speaks SCPI-style text over TCP or a serial line (Yokogawa WT210, WT310
 * and their kin). */
#include "base/clock.h"
#include "base/text.h"
#include "meter/meter.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

enum { LINE_CAP = 256, HOST_CAP = 128 };

static const int patience_ms = 2000;

static const struct instrument {
    const char *name;     /* glob over the answer to *IDN? */
    const char *setup[3]; /* sent once */
    const char *query;    /* answered by watts */
    uint64_t period_ns;   /* default update rate */
} instruments[] = {
    {"*WT3*",
     {":NUMERIC:FORMAT ASCII", ":NUMERIC:NORMAL:NUMBER 1", ":NUMERIC:NORMAL:ITEM1 P,1"},
     ":NUMERIC:NORMAL:VALUE? 1",
     250 * UINT64_C(1000000)},
    {"*WT2*",
     {":MEASURE:NORMAL:ITEM:PRESET CLEAR", ":MEASURE:NORMAL:ITEM:W:ELEMENT1 ON"},
     ":MEASURE:NORMAL:VALUE?",
     250 * UINT64_C(1000000)},
    {"*", {NULL}, "MEAS:POW?", 1000000000u},
};

struct line {
    int fd;
    const struct instrument *instrument;
};

static bool send_line(int fd, const char *text)
{
    char line[LINE_CAP];
    size_t len, sent = 0;

    if (!am_str_format(line, sizeof(line), "%s\n", text))
        return false;
    len = strlen(line);
    while (sent < len) {
        const ssize_t n = write(fd, line + sent, len - sent);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        sent += (size_t)n;
    }
    return true;
}

/* One line without its end; false when none comes in time. */
static bool receive_line(int fd, char *line, size_t cap)
{
    size_t len = 0;

    while (len + 1 < cap) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        ssize_t n;

        if (poll(&p, 1, patience_ms) <= 0)
            return false;
        n = read(fd, line + len, 1);
        if (n <= 0)
            return false;
        if (line[len] == '\n') {
            line[len - (len > 0 && line[len - 1] == '\r')] = '\0';
            return true;
        }
        len++;
    }
    return false;
}

static bool ask(int fd, const char *query, char *answer, size_t cap)
{
    return send_line(fd, query) && receive_line(fd, answer, cap);
}

/* HOST:PORT; an address of version 6 stands in [brackets]. */
static int connect_tcp(const char *place, struct am_err *err)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    const char *const colon = strrchr(place, ':');
    struct addrinfo *list = NULL;
    char host[HOST_CAP];
    int fd = -1;

    if (!colon || !am_str_format(host, sizeof(host), "%.*s", (int)(colon - place), place)) {
        (void)am_fail(err, AM_E_USAGE, "\"%s\" is not HOST:PORT", place);
        return -1;
    }
    if (getaddrinfo(host, colon + 1, &hints, &list) != 0) {
        (void)am_fail(err, AM_E_ABSENT, "no host or port \"%s\"", place);
        return -1;
    }
    for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
        if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) != 0) {
            (void)close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(list);
    if (fd < 0)
        (void)am_fail(err, AM_E_SYS, "meter at %s", place);
    return fd;
}

static const struct {
    const char *text;
    speed_t speed;
} speeds[] = {{"1200", B1200},   {"2400", B2400},   {"4800", B4800},   {"9600", B9600},
              {"19200", B19200}, {"38400", B38400}, {"57600", B57600}, {"115200", B115200}};

static bool find_speed(const char *text, speed_t *speed)
{
    for (size_t i = 0; i < sizeof(speeds) / sizeof(*speeds); i++) {
        if (strcmp(speeds[i].text, text) == 0) {
            *speed = speeds[i].speed;
            return true;
        }
    }
    return false;
}

/* PATH[:BAUD]; 9600 unless said. */
static int open_tty(const char *place, struct am_err *err)
{
    const char *const colon = strrchr(place, ':');
    struct termios t;
    char path[LINE_CAP];
    speed_t speed = B9600;
    int fd;

    if (colon && !find_speed(colon + 1, &speed)) {
        (void)am_fail(err, AM_E_USAGE, "\"%s\" is no speed of a serial line", colon + 1);
        return -1;
    }
    (void)am_str_format(path, sizeof(path), "%.*s",
                        colon ? (int)(colon - place) : (int)strlen(place), place);
    fd = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || tcgetattr(fd, &t) != 0) {
        (void)am_fail(err, AM_E_SYS, "%s", path);
        if (fd >= 0)
            (void)close(fd);
        return -1;
    }
    cfmakeraw(&t);
    (void)cfsetspeed(&t, speed);
    (void)tcsetattr(fd, TCSANOW, &t);
    return fd;
}

static enum am_status read_line(void *self, struct am_reading *out, struct am_err *err)
{
    const struct line *const l = self;
    char answer[LINE_CAP];

    out->t0_ns = am_now_ns();
    if (!ask(l->fd, l->instrument->query, answer, sizeof(answer)))
        return am_fail(err, AM_E_ABSENT, "the meter does not answer %s", l->instrument->query);
    out->t1_ns = am_now_ns();
    if (!am_parse_f64(answer, strlen(answer), &out->watts))
        return am_fail(err, AM_E_PARSE, "the meter answered \"%.40s\", not watts", answer);
    return AM_OK;
}

static void close_line(void *self)
{
    (void)close(((struct line *)self)->fd);
}

/* The first row that knows the answer; the last one is for all others. */
static const struct instrument *instrument_of(const char *answer)
{
    size_t i = 0;

    while (i < sizeof(instruments) / sizeof(*instruments) - 1 &&
           !am_glob_match(instruments[i].name, answer))
        i++;
    return &instruments[i];
}

static void introduce(struct am_meter *m, struct line *l, struct am_arena *arena)
{
    char answer[LINE_CAP];
    struct am_reading reading;
    struct am_err why = {0};

    if (!ask(l->fd, "*IDN?", answer, sizeof(answer))) {
        m->why_not = "the meter does not answer *IDN?";
        m->remedy = "look at cable, port and speed, and that no other program talks to it";
        return;
    }
    l->instrument = instrument_of(answer);
    m->covers = am_arena_printf(arena, "whatever is plugged into %.80s", answer);
    m->period_ns = l->instrument->period_ns;
    for (size_t i = 0; i < sizeof(l->instrument->setup) / sizeof(*l->instrument->setup); i++) {
        if (l->instrument->setup[i] && !send_line(l->fd, l->instrument->setup[i]))
            m->why_not = "the meter hung up";
    }
    if (!m->why_not && read_line(l, &reading, &why) != AM_OK)
        m->why_not = am_arena_strdup(arena, why.text);
}

enum am_status am_meter_open_scpi(const struct am_meter_request *request, struct am_arena *arena,
                                  struct am_meters *out, struct am_err *err)
{
    const char *const place = request->scpi;
    struct line *const l = am_arena_alloc(arena, sizeof(*l));
    struct am_err why = {0};
    struct am_meter *m;

    if (!place)
        return AM_OK;
    if (!l)
        return am_fail(err, AM_E_NOMEM, "no memory for the meters");
    if (strncmp(place, "tcp:", 4) != 0 && strncmp(place, "tty:", 4) != 0)
        return am_fail(err, AM_E_USAGE, "\"%s\" is neither tcp:HOST:PORT nor tty:PATH[:SPEED]",
                       place);
    l->fd = (place[1] == 'c' ? connect_tcp : open_tty)(place + 4, &why);
    if (l->fd < 0 && why.status == AM_E_USAGE)
        return am_fail(err, AM_E_USAGE, "%s", why.text);
    m = am_meters_add(out, "scpi");
    if (!m)
        return AM_OK;
    m->id = "scpi";
    m->scope = AM_SCOPE_WALL;
    m->kind = AM_METER_POWER;
    m->slow = true;
    if (l->fd < 0) {
        m->why_not = am_arena_strdup(arena, why.text);
        return AM_OK;
    }
    m->self = l;
    m->read = read_line;
    m->close = close_line;
    introduce(m, l, arena);
    m->interval_ns = m->period_ns / 2;
    return AM_OK;
}
