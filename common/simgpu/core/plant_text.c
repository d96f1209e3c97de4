#include "core/plant_text.h"

#include <ctype.h>  /* isalnum */
#include <stdarg.h> /* va_list */
#include <stdio.h>  /* vsnprintf */
#include <stdlib.h> /* strtod */
#include <string.h> /* strcmp */

#include "base/near.h"

enum key {
    KEY_RANK,
    KEY_OP,
    KEY_AT,
    KEY_SPAN,
    KEY_FOR,
    KEY_FACTOR,
    KEY_GPU,
    KEY_FROM,
    KEY_TO,
    KEY_NIC,
    KEY_RATE,
    KEY_BIT,
    KEY_SEED,
    KEY_SIGNAL,
    KEYS
};
#define HAS(key) (1u << KEY_##key)
#define WHEN     (HAS(OP) | HAS(AT) | HAS(SPAN))

static const char *const key_names[KEYS] = {
    "rank", "op", "at",  "span", "for", "factor", "gpu",
    "from", "to", "nic", "rate", "bit", "seed",   "signal"};

static const struct kind {
    const char *name;
    unsigned must, may;
    int has_when; /* one of op, at and span is needed */
} kinds[GRAPH_HARMS] = {
    [GRAPH_KILL] = {"kill", HAS(RANK), WHEN | HAS(SIGNAL), 1},
    [GRAPH_LOST] = {"lost", HAS(RANK), WHEN, 1},
    [GRAPH_FLIP] = {"flip", HAS(RANK), WHEN | HAS(BIT) | HAS(SEED), 1},
    [GRAPH_STALL] = {"stall", HAS(RANK) | HAS(FOR), WHEN, 1},
    [GRAPH_SLOW] = {"slow", HAS(RANK) | HAS(FACTOR), WHEN | HAS(GPU) | HAS(FOR),
                    0},
    [GRAPH_LINK] = {"link", 0,
                    HAS(FROM) | HAS(TO) | HAS(NIC) | HAS(RATE) | HAS(AT) |
                        HAS(FOR),
                    0},
};

struct parser {
    const char *begin, *at;
    char *err;
    size_t err_nbytes;
};

/* Write "character 12: ..." to err. Returns -1. */
static int wrong(const struct parser *p, const char *at, const char *format,
                 ...)
{
    char what[300];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    snprintf(p->err, p->err_nbytes, "character %d: %s",
             (int)(at - p->begin) + 1, what);
    return -1;
}

static void skip_blanks(struct parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

/* Copy the word that comes next; out is "" if none does. */
static void take_word(struct parser *p, char out[32])
{
    size_t n = 0;
    skip_blanks(p);
    for (; isalnum((unsigned char)*p->at) || *p->at == '_'; p->at++)
        if (n < 31)
            out[n++] = *p->at;
    out[n] = 0;
}

static int expect(struct parser *p, char c, const char *after)
{
    skip_blanks(p);
    if (*p->at++ == c)
        return 0;
    return wrong(p, p->at - 1, "expected '%c' after %s", c, after);
}

/* A name that was not found: list the names, and the one that is near. */
static int unknown(const struct parser *p, const char *at, const char *what,
                   const char *word, const char *(*name)(int i, unsigned set),
                   unsigned set, int n)
{
    char list[200] = "";
    struct near near = {NULL, 0};
    for (int i = 0; i < n; i++) {
        const char *const known = name(i, set);
        if (!known)
            continue;
        const size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s",
                 length ? ", " : "", known);
        near_try(&near, word, known, 2);
    }
    return wrong(p, at, "expected %s, one of %s; found '%s'%s%s%s", what, list,
                 word, near.name ? ": did you mean " : "",
                 near.name ? near.name : "", near.name ? "?" : "");
}

static const char *kind_name(int i, unsigned set)
{
    (void)set;
    return kinds[i].name;
}

static const char *key_name(int i, unsigned set)
{
    return set >> i & 1 ? key_names[i] : NULL;
}

/* ---- values -------------------------------------------------------------- */

static int take_whole(struct parser *p, const char *key, double least,
                      double most, double *out)
{
    char *end;
    const char *const at = p->at;
    *out = strtod(at, &end);
    if (end == at || !(*out >= least && *out <= most) ||
        *out != (double)(uint64_t)*out)
        return wrong(p, at, "expected a whole number from %.0f to %.0f for %s",
                     least, most, key);
    p->at = end;
    return 0;
}

static int take_real(struct parser *p, const char *key, double least,
                     double most, double *out)
{
    char *end;
    const char *const at = p->at;
    *out = strtod(at, &end);
    if (end == at || !(*out >= least && *out <= most))
        return wrong(p, at, "expected a number from %g to %g for %s", least,
                     most, key);
    p->at = end;
    return 0;
}

static int take_time(struct parser *p, const char *key, uint64_t *ps)
{
    static const struct {
        const char *name;
        double ps;
    } unit[] = {{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}};
    char *end, word[32];
    const char *const at = p->at;
    const double number = strtod(at, &end);
    if (end != at && number >= 0 && number <= 1e6) {
        p->at = end;
        take_word(p, word);
        for (size_t i = 0; i < sizeof unit / sizeof *unit; i++)
            if (strcmp(word, unit[i].name) == 0) {
                *ps = (uint64_t)(number * unit[i].ps + 0.5);
                return 0;
            }
    }
    return wrong(p, at,
                 "expected a time such as 2ms for %s (ps, ns, us, ms, s)", key);
}

static int take_span(struct parser *p, char out[64])
{
    const char *const at = p->at;
    size_t n = strcspn(at, ",;");
    p->at += n;
    while (n && isspace((unsigned char)at[n - 1]))
        n--;
    if (n == 0 || n > 63)
        return wrong(p, at,
                     "expected the name of an NVTX range, of at most 63 "
                     "characters");
    memcpy(out, at, n);
    out[n] = 0;
    return 0;
}

static int take_value(struct parser *p, enum key key, struct plant *f)
{
    const char *const name = key_names[key];
    double x = 0;
    int err;
    skip_blanks(p);
    switch (key) {
    case KEY_AT: f->has_at = 1; return take_time(p, name, &f->at_ps);
    case KEY_FOR: return take_time(p, name, &f->for_ps);
    case KEY_SPAN: return take_span(p, f->span);
    case KEY_FACTOR: return take_real(p, name, 1, 1000, &f->factor);
    case KEY_RATE: return take_real(p, name, 0, 1, &f->factor);
    case KEY_OP: err = take_whole(p, name, 1, 1e15, &x); break;
    case KEY_BIT:
    case KEY_SEED: err = take_whole(p, name, 0, 1e15, &x); break;
    case KEY_SIGNAL: err = take_whole(p, name, 1, 31, &x); break;
    default: err = take_whole(p, name, 0, 65535, &x); break;
    }
    switch (key) {
    case KEY_RANK: f->rank = (uint32_t)x; break;
    case KEY_OP: f->op = (uint64_t)x; break;
    case KEY_GPU:
    case KEY_FROM:
    case KEY_NIC: f->place = (int32_t)x; break;
    case KEY_TO: f->peer = (int32_t)x; break;
    case KEY_BIT: f->bit = (int64_t)x; break;
    case KEY_SEED: f->seed = (uint64_t)x; break;
    case KEY_SIGNAL: f->signal = (int)x; break;
    default: break;
    }
    return err;
}

/* ---- faults -------------------------------------------------------------- */

static int count_bits(unsigned set)
{
    return __builtin_popcount(set);
}

/* Check that a fault has what its kind needs. */
static int check(const struct parser *p, const char *at, const struct plant *f,
                 unsigned has)
{
    const struct kind *const k = &kinds[f->kind];
    const unsigned lacks = k->must & ~has;
    for (int i = 0; i < KEYS; i++)
        if (lacks >> i & 1)
            return wrong(p, at, "%s needs %s=", k->name, key_names[i]);
    if (count_bits(has & WHEN) > 1 || (k->has_when && !(has & WHEN)))
        return wrong(p, at, "%s needs one of op=, at= and span=", k->name);
    if (f->kind == GRAPH_SLOW && f->for_ps && !f->has_at)
        return wrong(p, at, "slow has for= only with at=");
    if (f->kind != GRAPH_LINK)
        return 0;
    if ((has & (HAS(FROM) | HAS(TO) | HAS(NIC))) != HAS(NIC) &&
        (has & (HAS(FROM) | HAS(TO) | HAS(NIC))) != (HAS(FROM) | HAS(TO)))
        return wrong(p, at, "link needs from= and to=, or nic=");
    if (f->factor == 0 && !f->for_ps)
        return wrong(p, at, "a link that is down (rate 0) needs for=");
    return 0;
}

static int take_keys(struct parser *p, struct plant *f, unsigned *has)
{
    const struct kind *const k = &kinds[f->kind];
    for (;;) {
        char word[32];
        skip_blanks(p);
        const char *const at = p->at;
        int key = 0;
        take_word(p, word);
        while (key < KEYS && (!key_name(key, k->must | k->may) ||
                              strcmp(word, key_names[key]) != 0))
            key++;
        if (key == KEYS) {
            char what[32];
            snprintf(what, sizeof what, "a key of %s", k->name);
            return unknown(p, at, what, word, key_name, k->must | k->may, KEYS);
        }
        if (*has >> key & 1)
            return wrong(p, at, "%s= was given before", word);
        *has |= 1u << key;
        if (expect(p, '=', word) != 0 || take_value(p, (enum key)key, f) != 0)
            return -1;
        skip_blanks(p);
        if (*p->at != ',')
            return 0;
        p->at++;
    }
}

static int take_fault(struct parser *p, struct plant *f)
{
    char word[32];
    unsigned has = 0;
    int kind = 0;
    skip_blanks(p);
    const char *const at = p->at;
    *f = (struct plant){.place = HARM_RANK,
                        .peer = HARM_NIC,
                        .signal = 9,
                        .bit = -1,
                        .seed = 1};
    take_word(p, word);
    while (kind < GRAPH_HARMS && strcmp(word, kinds[kind].name) != 0)
        kind++;
    if (kind == GRAPH_HARMS)
        return unknown(p, at, "a fault", word, kind_name, 0, GRAPH_HARMS);
    f->kind = (enum graph_harm_kind)kind;
    if (expect(p, ':', word) != 0 || take_keys(p, f, &has) != 0 ||
        check(p, at, f, has) != 0)
        return -1;
    snprintf(f->text, sizeof f->text, "%.*s", (int)(p->at - at), at);
    skip_blanks(p);
    if (*p->at && *p->at != ';')
        return wrong(p, p->at, "expected ',', ';' or the end");
    return 0;
}

int plant_parse(const char *text, struct plant out[PLANT_MAX], char *err,
                size_t err_nbytes)
{
    struct parser p = {text, text, err, err_nbytes};
    int n = 0;
    for (skip_blanks(&p); *p.at; skip_blanks(&p)) {
        if (n == PLANT_MAX)
            return wrong(&p, p.at, "more than %d faults", PLANT_MAX);
        if (take_fault(&p, &out[n++]) != 0)
            return -1;
        if (*p.at == ';')
            p.at++;
    }
    return n;
}
