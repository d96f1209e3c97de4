/*
 * plan_load.c: reading a plan, with file and line for all that is wrong
 */
#include "judge/plan.h"

#include <errno.h>  /* errno */
#include <stdarg.h> /* va_list */
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */
#include <yaml.h>   /* yaml_parser_load */

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

/* The first thing that is wrong is the one that is reported. */
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

/* A name that can stand on a command line and in a file name. */
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
 * one. Returns how many. */
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
    else
        fail(l, key, "unknown or repeated key \"%s\" in a case", k);
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
        return fail(l, n, "two cases are called %s", c->name);
    if (c->nranks == 0) {
        c->nranks = p->nranks;
        memcpy(c->ranks, p->ranks, sizeof c->ranks);
    }
    if (c->nranks == 0)
        fail(l, n, "%s needs ranks, its own or before all cases", c->name);
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
    else if (!strcmp(k, "cases"))
        list(l, value, 1000, "cases", take_case, p);
    else
        fail(l, key, "unknown or repeated key \"%s\"", k);
}

static void load(struct loader *l)
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
            mapping(l, root, "a plan", take_pair, l->plan);
        yaml_document_delete(&l->doc);
    }
    yaml_parser_delete(&parser);
    fclose(file);
}

struct plan *plan_load(const char *visible, const char *hidden, char *err,
                       size_t err_nbytes)
{
    struct plan *const p = calloc(1, sizeof *p);
    if (!p)
        abort();
    struct loader l = {
        .path = visible, .plan = p, .err = err, .err_nbytes = err_nbytes};
    load(&l);
    if (!l.failed && (!p->lab || !p->nfiles || !p->ncases)) {
        snprintf(err, err_nbytes, "%s: a plan needs lab, files and cases",
                 visible);
        l.failed = 1;
    }
    FILE *const there = hidden ? fopen(hidden, "re") : NULL;
    if (there && !l.failed) {
        l.path = hidden;
        l.hidden = 1;
        load(&l);
    }
    if (there)
        fclose(there);
    if (!l.failed)
        return p;
    plan_free(p);
    return NULL;
}
