/* SPDX-License-Identifier: MIT */
/* Uses of ports: how long mixes take with them, what they cost, which there are. */
#include "fit/ports_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SETS_MAX = 96,   /* unions of sets that a mix is looked at by */
    IN_USE_MAX = 64, /* sets that classes use */
    FEW = 12,        /* sets in use that are all looked at */
    WIDEST = 8,      /* ports of a set */
    MASS_MAX = 4,    /* equal operations of an instruction */
    FED_MAX = 6,     /* of one that keeps a divider busy: those that feed it */
    SLOTS_MAX = 4,   /* of the front end that a use is tried with beyond its operations */
    ALL_OF = 16,     /* ports of which all sets can be tried */
};
/* Cycles alone may deviate so far from what the use says. */
static const double alone_within = 0.12;
/* From so many cycles alone on a class may keep one port busy for a time that is no whole number:
 * dividers. Two operations of a port, 2 / (1 - alone_within) cycles at most, say all that is
 * shorter; at 2.5 a division that takes 2.5 fell out by what measurements scatter. */
static const double long_from = 2.27;
/* Errors below this are none: loops of the same units settle in patterns that differ by it. */
static const double settled = 0.012;
/* What too long a prediction costs more than too short a one. */
static const double too_long = 4;
/* What each part and each repetition costs, in mean loss of the mixes that can tell: of uses that
 * explain as well the simplest is taken. */
static const double price = 0.004;

/* A quotient whose numerator is smaller than the product by more than rounding is smaller, too. */
static const double above = 1 + 0x1p-50;

/* ---- cycles ---- */

struct load {
    struct am_portsets_part parts[AM_PORTSETS_MIX_PARTS];
    size_t n;
    double slots;
};

static void add_use(struct load *load, const struct am_portsets_use *use, double times)
{
    load->slots += times * use->slots;
    for (unsigned p = 0; p < use->n; p++) {
        size_t i = 0;

        while (i < load->n && load->parts[i].set != use->parts[p].set)
            i++;
        if (i + AM_PORTSETS_PARTS == AM_PORTSETS_MIX_PARTS)
            return;
        if (i == load->n)
            load->parts[load->n++] = (struct am_portsets_part){use->parts[p].set, 0};
        load->parts[i].mass += times * use->parts[p].mass;
    }
}

static unsigned ports_of(uint32_t set)
{
    const unsigned pairs = set - (set >> 1 & 0x55555555u);
    const unsigned fours = (pairs & 0x33333333u) + (pairs >> 2 & 0x33333333u);
    const unsigned eights = (fours + (fours >> 4)) & 0x0f0f0f0fu;

    return (eights * 0x01010101u) >> 24;
}

static double share_of(const struct load *load, uint32_t set)
{
    double mass = 0;

    for (size_t i = 0; i < load->n; i++)
        mass += (load->parts[i].set & ~set) == 0 ? load->parts[i].mass : 0;
    return mass / ports_of(set);
}

/* Adds the unions of a set with parts that overlap it to the sets, n of which are there. */
static size_t add_unions(const struct load *load, uint32_t set, uint32_t *sets, size_t n)
{
    for (size_t p = 0; p < load->n && n < SETS_MAX; p++) {
        const uint32_t part = load->parts[p].set, both = set | part;
        size_t k = 0;

        if ((set & part) == 0 || both == set)
            continue;
        while (k < n && sets[k] != both)
            k++;
        if (k == n)
            sets[n++] = both;
    }
    return n;
}

/* Cycles of the parts from `first` on, with what shares their ports, or `most` where that is more;
 * only sets with one of those parts are looked at. */
static double cycles_from(const struct load *load, size_t first, double most, uint32_t *bound)
{
    uint32_t sets[SETS_MAX];
    size_t n = 0;

    for (size_t i = first; i < load->n; i++)
        sets[n++] = load->parts[i].set;
    for (size_t i = 0; i < n; i++) {
        const double share = share_of(load, sets[i]);

        if (share > most) {
            most = share;
            *bound = sets[i];
        }
        n = add_unions(load, sets[i], sets, n);
    }
    return most;
}

static double cycles_of(const struct load *load, double slot, uint32_t *bound)
{
    uint32_t at = 0;
    const double most = cycles_from(load, 0, slot * load->slots, &at);

    if (bound)
        *bound = at;
    return most;
}

double am_portsets_cycles(const struct am_portsets_model *model,
                          const struct am_resources_use *uses, size_t n, uint32_t *set)
{
    struct load load = {.n = 0};

    for (size_t i = 0; i < n; i++)
        add_use(&load, &model->uses[uses[i].kind], uses[i].n);
    return cycles_of(&load, model->slot, set);
}

/* ---- costs ---- */

bool am_portsets_search_init(struct am_portsets_search *s, const struct am_resources_input *input,
                             struct am_arena *arena)
{
    size_t total = 0, most = 0, *next = am_arena_array(arena, input->kinds + 1, sizeof(*next));

    *s = (struct am_portsets_search){
        .input = input,
        .placed = am_arena_array(arena, input->kinds, sizeof(*s->placed)),
        .first = am_arena_array(arena, input->kinds + 1, sizeof(*s->first)),
        .model = {.uses = am_arena_array(arena, input->kinds, sizeof(*s->model.uses)),
                  .kinds = input->kinds,
                  .slot = input->alone[input->slot]}};
    for (size_t i = 0; s->first && i < input->n; i++) {
        for (size_t k = 0; k < input->mixes[i].n; k++) {
            if (input->mixes[i].uses[k].kind >= input->kinds)
                return false;
            s->first[input->mixes[i].uses[k].kind + 1]++;
            total++;
        }
    }
    s->where = am_arena_array(arena, total + 1, sizeof(*s->where));
    if (!next || !s->placed || !s->first || !s->model.uses || !s->where)
        return false;
    for (size_t c = 0; c < input->kinds; c++) {
        most = s->first[c + 1] > most ? s->first[c + 1] : most;
        s->first[c + 1] += s->first[c];
    }
    s->rests = am_arena_array(arena, most + 1, sizeof(*s->rests));
    s->parts = am_arena_array(arena, (most + 1) * AM_PORTSETS_MIX_PARTS, sizeof(*s->parts));
    if (!s->rests || !s->parts)
        return false;
    memcpy(next, s->first, input->kinds * sizeof(*next));
    for (size_t i = 0; i < input->n; i++) {
        for (size_t k = 0; k < input->mixes[i].n; k++)
            s->where[next[input->mixes[i].uses[k].kind]++] = i;
    }
    return true;
}

/* False when a class of the mix but `kind` is not placed yet; what a loop adds of its own, less
 * than one, may be missing. */
static bool load_rest(struct am_portsets_search *s, const struct am_resources_mix *mix, size_t kind,
                      struct am_portsets_rest *rest)
{
    struct load load = {.n = 0};
    uint32_t bound;

    for (size_t k = 0; k < mix->n; k++) {
        const struct am_resources_use *const u = &mix->uses[k];

        if (u->kind == kind)
            rest->times = u->n;
        else if (s->placed[u->kind])
            add_use(&load, &s->model.uses[u->kind], u->n);
        else if (u->n >= 1)
            return false;
    }
    rest->parts = s->parts + s->n_parts;
    rest->n = load.n;
    memcpy(s->parts + s->n_parts, load.parts, load.n * sizeof(*load.parts));
    s->n_parts += load.n;
    rest->slots = load.slots;
    rest->mass = 0;
    for (size_t i = 0; i < load.n; i++)
        rest->mass += load.parts[i].mass;
    rest->most = cycles_from(&load, 0, 0, &bound);
    rest->cycles = mix->cycles;
    return true;
}

/* Mixes that the class has the largest share of come first: they refuse a wrong use soonest. */
static int by_share(const void *a, const void *b)
{
    const struct am_portsets_rest *const x = a, *const y = b;
    const double p = x->times / x->cycles, q = y->times / y->cycles;

    return (p < q) - (p > q);
}

/* Whether a mix could show some operations of the class beside the unit that it keeps busy all of
 * its time alone. Of a division most mixes take as long as the divider, whatever feeds it. */
static bool can_tell(const struct am_portsets_rest *rest, double alone)
{
    return rest->most > rest->times * (alone - MASS_MAX);
}

void am_portsets_search_hold(struct am_portsets_search *s, size_t kind)
{
    size_t telling = 0;

    s->held = kind;
    s->n_rests = 0;
    s->n_parts = 0;
    for (size_t i = s->first[kind]; i < s->first[kind + 1]; i++)
        s->n_rests += load_rest(s, &s->input->mixes[s->where[i]], kind, &s->rests[s->n_rests]);
    for (size_t i = 0; i < s->n_rests; i++)
        telling += can_tell(&s->rests[i], s->input->alone[kind]);
    s->telling = s->n_rests ? (double)telling / (double)s->n_rests : 1;
    qsort(s->rests, s->n_rests, sizeof(*s->rests), by_share);
}

/* Adds the mass of the parts inside of sets[i], and to the n sets its unions with those that
 * overlap it; returns how many sets there are now. */
static inline size_t add_parts(const struct am_portsets_part *parts, size_t n_parts, uint32_t *sets,
                               size_t i, size_t n, double *mass)
{
    const uint32_t set = sets[i];

    for (size_t p = 0; p < n_parts; p++) {
        const uint32_t both = set | parts[p].set;
        size_t k = 0;

        *mass += both == set ? parts[p].mass : 0;
        if (both == set || (set & parts[p].set) == 0 || n == SETS_MAX)
            continue;
        while (k < n && sets[k] != both)
            k++;
        sets[n] = both;
        n += k == n;
    }
    return n;
}

/* Cycles of a mix with the use in place of its class: what cycles_from() gives for the parts of the
 * rest and, behind them, those of the use. The fit asks this some ten million times, mostly of
 * mixes with two or three parts: so nothing is copied, and mixes are passed over where even all
 * operations on the fewest ports would not take longer. */
static double with_use(const struct am_portsets_search *s, const struct am_portsets_rest *rest,
                       const struct am_portsets_use *use)
{
    const double slots = s->model.slot * (rest->slots + rest->times * use->slots);
    double most = slots > rest->most ? slots : rest->most, all = rest->mass;
    struct am_portsets_part own[AM_PORTSETS_PARTS];
    unsigned ports = AM_PORTSETS_MAX;
    uint32_t sets[SETS_MAX];
    size_t n = 0;

    for (unsigned p = 0; p < use->n; p++) {
        const unsigned few = ports_of(use->parts[p].set);

        own[p] = (struct am_portsets_part){use->parts[p].set, rest->times * use->parts[p].mass};
        all += own[p].mass;
        ports = few < ports ? few : ports;
        sets[n++] = own[p].set;
    }
    if (all * above <= most * ports)
        return most;
    for (size_t i = 0; i < n; i++) {
        double mass = 0;

        n = add_parts(rest->parts, rest->n, sets, i, n, &mass);
        n = add_parts(own, use->n, sets, i, n, &mass);
        if (mass * above > most * ports_of(sets[i])) { /* a division takes longer than the rest */
            mass /= ports_of(sets[i]);
            most = mass > most ? mass : most;
        }
    }
    return most;
}

static double loss_of(double model, double cycles)
{
    const double e = model / cycles - 1, off = fabs(e) - settled;

    return (off > 0 ? off : 0) * (e > 0 ? too_long : 1);
}

static double price_of_parts(const struct am_portsets_use *use, unsigned first, unsigned end)
{
    double all = 0;

    for (unsigned p = first; p < end; p++)
        all += fmin(fmax(use->parts[p].mass - 1, 0), 2) + (p > 0 ? 1 : 0);
    return all;
}

/* Of the mixes, those that take longer by what feeds a divider than by the divider alone: in all
 * others it costs and gains nothing. */
static double share_longer(const struct am_portsets_search *s, const struct am_portsets_use *use)
{
    struct am_portsets_use alone = *use;
    size_t longer = 0;

    alone.n = 1;
    for (size_t i = 0; i < s->n_rests; i++)
        longer +=
            with_use(s, &s->rests[i], use) > (1 + settled) * with_use(s, &s->rests[i], &alone);
    return s->n_rests ? (double)longer / (double)s->n_rests : 1;
}

static double price_of(const struct am_portsets_search *s, const struct am_portsets_use *use)
{
    const bool fed = use->n == 2 && use->parts[0].mass >= long_from;
    const double slots = fmax(use->slots - 1, 0) / 4;

    if (!fed)
        return price * s->telling * (slots + price_of_parts(use, 0, use->n));
    return price * (s->telling * (slots + price_of_parts(use, 0, 1)) +
                    fmin(share_longer(s, use), s->telling) * price_of_parts(use, 1, use->n));
}

double am_portsets_search_loss(const struct am_portsets_search *s, size_t mix,
                               const struct am_portsets_use *use)
{
    return loss_of(with_use(s, &s->rests[mix], use), s->rests[mix].cycles);
}

static double mean_loss(const struct am_portsets_search *s, const struct am_portsets_use *use,
                        size_t stride, double most)
{
    const size_t all = (s->n_rests + stride - 1) / stride;
    const double limit = most * (double)all;
    double sum = 0;

    for (size_t i = 0; i < s->n_rests; i += stride) {
        sum += am_portsets_search_loss(s, i, use);
        if (sum > limit)
            return INFINITY; /* the mean can only be larger */
    }
    return all ? sum / (double)all : 0;
}

double am_portsets_search_mean(const struct am_portsets_search *s,
                               const struct am_portsets_use *use, double most)
{
    return mean_loss(s, use, 1, most);
}

double am_portsets_search_cost(const struct am_portsets_search *s,
                               const struct am_portsets_use *use, size_t stride, double most)
{
    const double extra = price_of(s, use);

    return mean_loss(s, use, stride, most - extra) + extra;
}

/* ---- which uses there are ---- */

struct making {
    const struct am_portsets_search *s;
    am_portsets_take_fn *take;
    void *self;
    double alone;
    bool plain; /* one operation and no more */
    uint32_t sets[IN_USE_MAX];
    size_t users[IN_USE_MAX], n;
    bool told[IN_USE_MAX]; /* one of its users tells most of the others */
    uint32_t *tried;       /* sets that were offered alone, by their hash; 0: none */
};

enum { TRIED_BITS = 15, PROBES = 16 };

/* Notes a set; whether it had not been noted. One that finds no room is offered again, which costs
 * time and nothing else. */
static bool is_new(const struct making *m, uint32_t set)
{
    const uint32_t home = set * UINT32_C(2654435769) >> (32 - TRIED_BITS);

    for (uint32_t i = 0; i < PROBES; i++) {
        uint32_t *const at = &m->tried[(home + i) & ((UINT32_C(1) << TRIED_BITS) - 1)];

        if (*at == set)
            return false;
        if (*at == 0) {
            *at = set;
            return true;
        }
    }
    return true;
}

static void note_set(struct making *m, uint32_t set, bool told)
{
    size_t i = 0;

    while (i < m->n && m->sets[i] != set)
        i++;
    if (i == IN_USE_MAX)
        return;
    m->sets[i] = set;
    m->users[i]++;
    m->told[i] = m->told[i] || told;
    m->n += i == m->n;
}

/* Of many classes those sets count that more than one uses, or one of those that tell most of the
 * others: the sums of integers may be a single class, and what else goes to their ports has to be
 * placed there all the same. */
static void keep_shared(struct making *m)
{
    size_t n = 0;

    for (size_t i = 0; i < m->n; i++) {
        if (m->users[i] > 1 || m->told[i])
            m->sets[n++] = m->sets[i];
    }
    m->n = n;
}

static void note_sets(struct making *m, size_t but)
{
    for (size_t c = 0; c < m->s->model.kinds; c++) {
        const struct am_portsets_use *const use = &m->s->model.uses[c];

        for (unsigned p = 0; m->s->placed[c] && c != but && p < use->n; p++)
            note_set(m, use->parts[p].set, c < AM_PORTSETS_TELLING);
    }
}

bool am_portsets_search_fits_alone(const struct am_portsets_search *s, size_t kind,
                                   const struct am_portsets_use *use)
{
    struct load load = {.n = 0};

    add_use(&load, use, 1);
    return fabs(cycles_of(&load, s->model.slot, NULL) / s->input->alone[kind] - 1) <= alone_within;
}

/* Passes a use on where it takes as long alone as the class does. */
static void offer(const struct making *m, const struct am_portsets_use *use)
{
    if (am_portsets_search_fits_alone(m->s, m->s->held, use))
        m->take(m->self, use);
}

/* Whether the class may have so many of these operations. */
static bool fits_alone(const struct making *m, double mass, int ports)
{
    return fabs(mass / ports / m->alone - 1) <= alone_within;
}

static void offer_single(const struct making *m, uint32_t set)
{
    const int ports = (int)ports_of(set);
    struct am_portsets_use use = {.n = 1, .slots = 1, .parts = {{set, 1}}};

    if (!is_new(m, set))
        return;
    if (fits_alone(m, 1, ports))
        m->take(m->self, &use);
    for (int mass = 2; !m->plain && mass <= MASS_MAX; mass++) {
        use.parts[0].mass = mass;
        if (fits_alone(m, mass, ports))
            m->take(m->self, &use);
    }
    use.parts[0].mass = m->alone;
    if (m->alone >= long_from && ports == 1)
        m->take(m->self, &use);
}

/* All sets of so many ports, of which some are new: of these the lowest. Of more ports than can all
 * be tried those that came first, which most classes share. */
static void offer_all(const struct making *m)
{
    const unsigned used = m->s->used, first = used < ALL_OF ? used : ALL_OF;

    for (uint32_t set = 0; set < UINT32_C(1) << first; set++) {
        const int old = (int)ports_of(set);

        for (int more = 0; old + more <= WIDEST && used + (unsigned)more <= AM_PORTSETS_MAX;
             more++) {
            const uint32_t fresh = ((UINT32_C(1) << more) - 1) << used;

            if (old + more > 0 && (fits_alone(m, 1, old + more) || m->alone >= long_from))
                offer_single(m, set | fresh);
        }
    }
}

/* The set and those that differ from it by one port. */
static void offer_near(const struct making *m, uint32_t set)
{
    offer_single(m, set);
    for (unsigned p = 0; p < m->s->used; p++) {
        const uint32_t other = set ^ 1u << p;

        if (other)
            offer_single(m, other);
        for (unsigned q = 0; (set >> p & 1) && q < m->s->used; q++) {
            if (!(set >> q & 1))
                offer_single(m, other | 1u << q);
        }
    }
}

/* Two operations of different kinds. */
static void offer_pairs(const struct making *m)
{
    for (size_t i = 0; i < m->n; i++) {
        for (size_t k = 0; k < m->n; k++) {
            const int ports = (int)ports_of(m->sets[i]);
            struct am_portsets_use use = {.n = 2, .slots = 1};

            if (i == k)
                continue;
            for (int a = 1; a <= 2; a++) {
                for (int b = 1; b <= a && (b < a || i < k); b++) {
                    use.parts[0] = (struct am_portsets_part){m->sets[i], a};
                    use.parts[1] = (struct am_portsets_part){m->sets[k], b};
                    offer(m, &use);
                }
            }
            use.parts[0].mass = m->alone * ports;
            for (int b = 1; m->alone >= long_from && ports == 1 && b <= FED_MAX; b++) {
                use.parts[1].mass = b; /* what a divider is fed by */
                offer(m, &use);
            }
        }
    }
}

void am_portsets_search_uses(const struct am_portsets_search *s, enum am_portsets_breadth breadth,
                             am_portsets_take_fn *take, void *self)
{
    const bool all = breadth == AM_PORTSETS_ALL;
    struct making m = {
        .s = s, .take = take, .self = self, .plain = all, .alone = s->input->alone[s->held]};
    struct am_portsets_use none = {.n = 0};
    uint32_t tried[1 << TRIED_BITS] = {0};

    m.tried = tried;
    for (int slots = 1; slots <= SLOTS_MAX; slots++) {
        none.slots = slots;
        offer(&m, &none);
    }
    note_sets(&m, s->held);
    if (m.n > FEW)
        keep_shared(&m);
    if (all)
        offer_all(&m);
    for (size_t i = 0; breadth == AM_PORTSETS_IN_USE && i < m.n; i++)
        offer_single(&m, m.sets[i]);
    for (size_t i = 0; breadth == AM_PORTSETS_NEAR && i < m.n; i++)
        offer_near(&m, m.sets[i]);
    if (m.alone >= long_from && s->used < AM_PORTSETS_MAX)
        note_set(&m, UINT32_C(1) << s->used, false);
    if (!all)
        offer_pairs(&m);
}

void am_portsets_search_near(const struct am_portsets_search *s, uint32_t set,
                             am_portsets_take_fn *take, void *self)
{
    uint32_t tried[1 << TRIED_BITS] = {0};
    const struct making m = {
        .s = s, .take = take, .self = self, .alone = s->input->alone[s->held], .tried = tried};

    offer_near(&m, set);
}
