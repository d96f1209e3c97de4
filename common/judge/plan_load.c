/*
 * plan_load.c: reading a plan, with file and line in all errors
 */
#include "judge/plan.h"

#include <ctype.h>  /* isalpha */
#include <errno.h>  /* errno */
#include <stdarg.h> /* va_list */
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */
#include <unistd.h> /* access */
#include <yaml.h>   /* yaml_parser_load */

#include "judge/formula.h"
#include "topo/topo.h"

#define NAME_BYTES                                                             \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

struct loader {
    const char *path;
    yaml_document_t doc;
    struct plan *plan;
    int hidden;
    char *err;
    size_t err_nbytes;
    int failed;
};

static void fail(struct loader *l, const yaml_node_t *at, const char *format,
                 ...) __attribute__((format(printf, 3, 4)));

/* Only the first error is reported. */
static void fail(struct loader *l, const yaml_node_t *at, const char *format,
                 ...)
{
    va_list args;
    if (l->failed)
        return;
    l->failed = 1;
    const int n = snprintf(l->err, l->err_nbytes, "%s:%lu: ", l->path,
                           (unsigned long)at->start_mark.line + 1);
    va_start(args, format);
    if (n > 0 && (size_t)n < l->err_nbytes)
        vsnprintf(l->err + n, l->err_nbytes - (size_t)n, format, args);
    va_end(args);
}

static const char *text(struct loader *l, const yaml_node_t *n,
                        const char *what)
{
    if (n->type != YAML_SCALAR_NODE) {
        fail(l, n, "%s is a single value", what);
        return "";
    }
    return (const char *)n->data.scalar.value;
}

static double number(struct loader *l, const yaml_node_t *n, const char *what,
                     double least, double most)
{
    const char *const s = text(l, n, what);
    char *end;
    errno = 0;
    const double v = strtod(s, &end);
    if (errno || *end || end == s || !(v >= least && v <= most))
        fail(l, n, "%s is a number from %g to %g, not \"%s\"", what, least,
             most, s);
    return l->failed ? least : v;
}

static int whole_number(struct loader *l, const yaml_node_t *n,
                        const char *what, int least, int most)
{
    const double v = number(l, n, what, least, most);
    if (v != (int)v)
        fail(l, n, "%s is a whole number, not %g", what, v);
    return (int)v;
}

/* A name that is safe on a command line and in a file name. */
static char *name(struct loader *l, const yaml_node_t *n, const char *what)
{
    const char *const s = text(l, n, what);
    if (!*s || *s == '-' ||
        s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-_.")])
        fail(l, n, "%s is lower-case letters, digits and -, not \"%s\"", what,
             s);
    return strdup(s);
}

/* Call each(l, node, arg) for the items of a list; a single value is a list of
 * one. Returns their number. */
typedef void item_fn(struct loader *l, yaml_node_t *n, int i, void *arg);
static int list(struct loader *l, yaml_node_t *n, int most, const char *what,
                item_fn *each, void *arg)
{
    if (n->type != YAML_SEQUENCE_NODE) {
        each(l, n, 0, arg);
        return 1;
    }
    int count = 0;
    for (yaml_node_item_t *i = n->data.sequence.items.start;
         i < n->data.sequence.items.top && !l->failed; i++) {
        if (count == most) {
            fail(l, n, "%s has more than %d entries", what, most);
            break;
        }
        each(l, yaml_document_get_node(&l->doc, *i), count++, arg);
    }
    return count;
}

static void take_rank(struct loader *l, yaml_node_t *n, int i, void *arg)
{
    ((int *)arg)[i] = whole_number(l, n, "a number of ranks", 1, 1024);
}

static void take_file(struct loader *l, yaml_node_t *n, int i, void *arg)
{
    const char *const name = text(l, n, "a file name");
    if (!*name || strchr(name, '/') || name[0] == '.')
        fail(l, n, "a file to edit is a plain name, not \"%s\"", name);
    ((char **)arg)[i] = strdup(name);
}

/* Call each(l, key, value, arg) for the pairs of a mapping. */
typedef void pair_fn(struct loader *l, yaml_node_t *key, yaml_node_t *value,
                     void *arg);
static void mapping(struct loader *l, yaml_node_t *n, const char *what,
                    pair_fn *each, void *arg)
{
    if (n->type != YAML_MAPPING_NODE)
        return fail(l, n, "%s is a list of \"key: value\"", what);
    for (yaml_node_pair_t *p = n->data.mapping.pairs.start;
         p < n->data.mapping.pairs.top && !l->failed; p++)
        each(l, yaml_document_get_node(&l->doc, p->key),
             yaml_document_get_node(&l->doc, p->value), arg);
}

/* The name of a machine, or the path of its file. */
static char *topo(struct loader *l, const yaml_node_t *n)
{
    const char *const s = text(l, n, "topo");
    if (!*s)
        fail(l, n, "topo names a machine, such as %s", PLAN_TOPO);
    return strdup(s);
}

/* full or none, of a plan or a case. Returns 0 for other keys. */
static int take_ratio(struct loader *l, const char *key,
                      const yaml_node_t *value, double *full, double *none)
{
    if (!strcmp(key, "full") && *full == 0)
        *full = number(l, value, "full", 1, 1000);
    else if (!strcmp(key, "none") && *none == 0)
        *none = number(l, value, "none", 1, 1000);
    else
        return 0;
    return 1;
}

static void take_param(struct loader *l, yaml_node_t *key, yaml_node_t *value,
                       void *arg)
{
    struct plan_case *const c = arg;
    if (c->nwith == PLAN_MAX_PARAMS)
        return fail(l, key, "more than %d parameters", PLAN_MAX_PARAMS);
    const char *const k = text(l, key, "a parameter's name");
    if (plan_text(c, k, NULL))
        return fail(l, key, "the parameter %s is given twice", k);
    c->with[c->nwith].key = strdup(k);
    c->with[c->nwith++].value = strdup(text(l, value, "a parameter"));
}

static void take_case_pair(struct loader *l, yaml_node_t *key,
                           yaml_node_t *value, void *arg)
{
    struct plan_case *const c = arg;
    const char *const k = text(l, key, "a key");
    if (!strcmp(k, "name") && !c->name)
        c->name = name(l, value, "name");
    else if (!strcmp(k, "kind") && !c->kind)
        c->kind = name(l, value, "kind");
    else if (!strcmp(k, "part"))
        c->part = whole_number(l, value, "part", 1, 99);
    else if (!strcmp(k, "points"))
        c->points = number(l, value, "points", 0, 1000);
    else if (!strcmp(k, "with"))
        mapping(l, value, "with", take_param, c);
    else if (!strcmp(k, "ranks"))
        c->nranks =
            list(l, value, PLAN_MAX_RANKS, "ranks", take_rank, c->ranks);
    else if (!strcmp(k, "topo") && !c->topo)
        c->topo = topo(l, value);
    else if (!strcmp(k, "timed"))
        c->timed = whole_number(l, value, "timed", 0, 1);
    else if (!take_ratio(l, k, value, &c->full, &c->none))
        fail(l, key, "unknown or repeated key \"%s\" in a case", k);
}

/* The defaults of a case, from the plan. */
static void inherit(struct loader *l, const yaml_node_t *n, struct plan_case *c)
{
    const struct plan *const p = l->plan;
    c->pinned = c->timed || c->topo;
    if (!c->topo)
        c->topo = strdup(p->topo ? p->topo : PLAN_TOPO);
    if (c->full == 0)
        c->full = p->full ? p->full : 1.2;
    if (c->none == 0)
        c->none = p->none ? p->none : 10;
    if (!(c->full < c->none))
        fail(l, n, "%s: full (%g) is less than none (%g)", c->name, c->full,
             c->none);
    if (c->nranks == 0) {
        c->nranks = p->nranks;
        memcpy(c->ranks, p->ranks, sizeof c->ranks);
    }
    if (c->nranks == 0)
        fail(l, n, "%s needs ranks, its own or before all cases", c->name);
}

static void take_case(struct loader *l, yaml_node_t *n, int i, void *arg)
{
    struct plan *const p = arg;
    (void)i;
    p->cases = realloc(p->cases, ((size_t)p->ncases + 1) * sizeof *p->cases);
    if (!p->cases)
        abort();
    struct plan_case *const c = &p->cases[p->ncases++];
    *c = (struct plan_case){.hidden = l->hidden};
    mapping(l, n, "a case", take_case_pair, c);
    if (!c->name || !c->kind || !c->part)
        return fail(l, n, "a case needs a name, a part and a kind");
    if (plan_find(p, c->name) != c)
        return fail(l, n, "two cases are named %s", c->name);
    inherit(l, n, c);
}

/* ---- questions ----------------------------------------------------------- */

static void take_choice(struct loader *l, yaml_node_t *n, int i, void *arg)
{
    struct number *const of = arg;
    const char *const choice = text(l, n, of->name);
    for (int k = 0; k < i; k++)
        if (strcmp(of->choice[k], choice) == 0 &&
            strcmp(of->group, of->name) == 0)
            fail(l, n, "%s has the choice %s twice", of->name, choice);
    of->choice[of->nchoices++] = strdup(choice);
}

/* A list of choices, in a group or as its own. */
static void take_choices(struct loader *l, yaml_node_t *key, yaml_node_t *value,
                         const char *group)
{
    struct numbers *const all = &l->plan->numbers;
    const char *const name = text(l, key, "a number's name");
    const size_t length = strlen(name);
    if (!isalpha((unsigned char)*name) || length >= FORMULA_NAME ||
        strspn(name, NAME_BYTES) != length)
        return fail(l, key,
                    "a number's name is letters, digits and _, not "
                    "\"%s\"",
                    name);
    if (all->n == NUMBERS_MAX || numbers_find(all, name))
        return fail(l, key, "the number %s is %s", name,
                    all->n == NUMBERS_MAX ? "one too many" : "listed twice");
    struct number *const of = &all->of[all->n++];
    of->name = strdup(name);
    of->group = strdup(group ? group : name);
    if (list(l, value, NUMBERS_CHOICES, name, take_choice, of) < 2)
        fail(l, value, "%s needs at least 2 choices", name);
}

static void take_together(struct loader *l, yaml_node_t *key,
                          yaml_node_t *value, void *arg)
{
    const struct numbers *const all = &l->plan->numbers;
    const char *const group = arg;
    const int before = all->n;
    take_choices(l, key, value, group);
    if (!l->failed && before > 0 &&
        strcmp(all->of[before - 1].group, group) == 0 &&
        all->of[before - 1].nchoices != all->of[before].nchoices)
        fail(l, value,
             "%s are drawn together, so all of them have as many "
             "choices",
             group);
}

static void take_number(struct loader *l, yaml_node_t *key, yaml_node_t *value,
                        void *arg)
{
    (void)arg;
    if (l->hidden)
        fail(l, key, "numbers belong into the visible plan");
    else if (value->type == YAML_MAPPING_NODE)
        mapping(l, value, "numbers", take_together,
                (void *)text(l, key, "a name"));
    else
        take_choices(l, key, value, NULL);
}

/* One formula for a choice of the number that has it. */
static void take_formula(struct loader *l, yaml_node_t *key, yaml_node_t *value,
                         void *arg)
{
    const struct numbers *const all = &l->plan->numbers;
    struct answer *const a = arg;
    const char *const choice = text(l, key, "a choice");
    for (int i = 0; i < all->n && !a->by; i++)
        if (strcmp(all->of[i].choice[0], choice) == 0)
            a->by = &all->of[i];
    if (!a->by || a->n == a->by->nchoices ||
        strcmp(a->by->choice[a->n], choice) != 0)
        return fail(l, key, "\"%s\" is not the next choice of a number",
                    choice);
    a->formula[a->n++] = strdup(text(l, value, "a formula"));
}

static struct answer *answer(struct loader *l, yaml_node_t *n)
{
    struct answer *const a = calloc(1, sizeof *a);
    char why[256];
    if (!a)
        abort();
    if (n->type == YAML_MAPPING_NODE) {
        mapping(l, n, "an answer", take_formula, a);
        if (!l->failed && (!a->by || a->n < a->by->nchoices))
            fail(l, n, "an answer by choice needs all choices");
    } else {
        a->formula[a->n++] = strdup(text(l, n, "an answer"));
    }
    if (!l->failed && answer_check(&l->plan->numbers, a, why, sizeof why) != 0)
        fail(l, n, "%s", why);
    return a;
}

/* Questions are cases of the visible plan, which has been read before. */
static void take_answer(struct loader *l, yaml_node_t *key, yaml_node_t *value,
                        void *arg)
{
    struct plan *const p = arg;
    const char *const question = text(l, key, "a question");
    struct plan_case *c = NULL;
    if (!l->hidden)
        return fail(l, key, "answers belong into the hidden plan");
    for (int i = 0; i < p->ncases && !c; i++)
        if (strcmp(plan_text(&p->cases[i], "question", ""), question) == 0)
            c = &p->cases[i];
    if (!c || c->answer)
        return fail(l, key, "no case asks for \"%s\", or it is answered twice",
                    question);
    c->answer = answer(l, value);
}

static void take_idea(struct loader *l, yaml_node_t *key, yaml_node_t *value,
                      void *arg)
{
    struct plan *const p = arg;
    const int part = whole_number(l, key, "a part", 1, PLAN_MAX_PARTS - 1);
    const char *const idea = text(l, value, "an idea");
    if (l->failed)
        return;
    if (p->idea[part] || !*idea)
        return fail(l, key, "the idea of part %d is %s", part,
                    *idea ? "given twice" : "empty");
    p->idea[part] = strdup(idea);
}

static void take_pair(struct loader *l, yaml_node_t *key, yaml_node_t *value,
                      void *arg)
{
    struct plan *const p = arg;
    const char *const k = text(l, key, "a key");
    if (!strcmp(k, "lab") && !p->lab)
        p->lab = name(l, value, "lab");
    else if (!strcmp(k, "title") && !p->title)
        p->title = strdup(text(l, value, "title"));
    else if (!strcmp(k, "files") && !p->nfiles)
        p->nfiles = list(l, value, PLAN_MAX_FILES, "files", take_file, p->file);
    else if (!strcmp(k, "ranks") && !p->nranks)
        p->nranks =
            list(l, value, PLAN_MAX_RANKS, "ranks", take_rank, p->ranks);
    else if (!strcmp(k, "topo") && !p->topo)
        p->topo = topo(l, value);
    else if (!strcmp(k, "timezone") && !p->timezone)
        p->timezone = strdup(text(l, value, "timezone"));
    else if (!strcmp(k, "numbers"))
        mapping(l, value, "numbers", take_number, p);
    else if (!strcmp(k, "answers"))
        mapping(l, value, "answers", take_answer, p);
    else if (!strcmp(k, "idea"))
        mapping(l, value, "idea", take_idea, p);
    else if (!strcmp(k, "isolation"))
        p->isolation = whole_number(l, value, "isolation", 0, 3);
    else if (!strcmp(k, "cases"))
        list(l, value, 1000, "cases", take_case, p);
    else if (!take_ratio(l, k, value, &p->full, &p->none))
        fail(l, key, "unknown or repeated key \"%s\"", k);
}

/* ---- reference times ----------------------------------------------------- */

struct time { /* of a case on nranks ranks */
    const char *name;
    int nranks;
    double us;
};

static void take_time_pair(struct loader *l, yaml_node_t *key,
                           yaml_node_t *value, void *arg)
{
    struct time *const t = arg;
    const char *const k = text(l, key, "a key");
    if (!strcmp(k, "case"))
        t->name = text(l, value, "case");
    else if (!strcmp(k, "ranks"))
        t->nranks = whole_number(l, value, "ranks", 1, 1024);
    else if (!strcmp(k, "us"))
        t->us = number(l, value, "us", 0, 1e12);
    else
        fail(l, key, "unknown key \"%s\" in a time", k);
}

/* Times of cases that the plan no longer has are ignored. */
static void take_time(struct loader *l, yaml_node_t *n, int i, void *arg)
{
    struct plan *const p = arg;
    struct time t = {.name = ""};
    (void)i;
    mapping(l, n, "a time", take_time_pair, &t);
    for (int at = 0; at < p->ncases; at++)
        for (int k = 0; k < p->cases[at].nranks; k++)
            if (strcmp(p->cases[at].name, t.name) == 0 &&
                p->cases[at].ranks[k] == t.nranks)
                p->cases[at].us[k] = t.us;
}

static void take_times(struct loader *l, yaml_node_t *key, yaml_node_t *value,
                       void *arg)
{
    if (strcmp(text(l, key, "a key"), "times") != 0)
        return fail(l, key, "times are under the key \"times\"");
    list(l, value, 10000, "times", take_time, arg);
}

/* ---- files --------------------------------------------------------------- */

/* Read l->path and call each for the pairs of its mapping. */
static void load(struct loader *l, pair_fn *each)
{
    yaml_parser_t parser;
    FILE *const file = fopen(l->path, "re");
    if (!file) {
        snprintf(l->err, l->err_nbytes, "%s: %s", l->path, strerror(errno));
        l->failed = 1;
        return;
    }
    if (!yaml_parser_initialize(&parser))
        abort();
    yaml_parser_set_input_file(&parser, file);
    if (!yaml_parser_load(&parser, &l->doc)) {
        snprintf(l->err, l->err_nbytes, "%s:%lu: %s", l->path,
                 (unsigned long)parser.problem_mark.line + 1, parser.problem);
        l->failed = 1;
    } else {
        yaml_node_t *const root = yaml_document_get_root_node(&l->doc);
        if (root)
            mapping(l, root, "a plan", each, l->plan);
        yaml_document_delete(&l->doc);
    }
    yaml_parser_delete(&parser);
    fclose(file);
}

/* DIR/times/LAB.yaml for DIR/LAB.yaml, if it exists. */
static void load_times(struct loader *l, const char *plan)
{
    char path[4096];
    const char *const slash = strrchr(plan, '/');
    const int dir = slash ? (int)(slash - plan) + 1 : 0;
    snprintf(path, sizeof path, "%.*stimes/%s", dir, plan, plan + dir);
    if (l->failed || access(path, F_OK) != 0)
        return;
    l->path = path;
    load(l, take_times);
}

struct plan *plan_load(const char *visible, const char *hidden, char *err,
                       size_t err_nbytes)
{
    char me[TOPO_ME];
    struct plan *const p = calloc(1, sizeof *p);
    if (!p)
        abort();
    struct loader l = {
        .path = visible, .plan = p, .err = err, .err_nbytes = err_nbytes};
    load(&l, take_pair);
    if (!l.failed && (!p->lab || !p->nfiles || !p->ncases)) {
        snprintf(err, err_nbytes, "%s: a plan needs lab, files and cases",
                 visible);
        l.failed = 1;
    }
    load_times(&l, visible);
    if (!l.failed && hidden && access(hidden, R_OK) == 0) {
        l.path = hidden;
        l.hidden = 1;
        load(&l, take_pair);
        load_times(&l, hidden);
    }
    if (!l.failed) {
        plan_draw(p, topo_me(me));
        return p;
    }
    plan_free(p);
    return NULL;
}
