/*
 * plan_load.c: reading a plan, with file and line in all errors
 */
#include "judge/plan.h"

#include <errno.h>  /* errno */
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */
#include <unistd.h> /* access */

#include "judge/loader.h"
#include "judge/plan_numbers.h"
#include "topo/topo.h"

/* A name that is safe on a command line and as a file name. */
static char *name(struct loader *l, const yaml_node_t *n, const char *what)
{
    const char *const s = loader_text(l, n, what);
    if (!*s || *s == '-' ||
        s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-_.")])
        loader_fail(l, n, "%s is lower-case letters, digits and -, not \"%s\"",
                    what, s);
    return strdup(s);
}

static void take_rank(struct loader *l, yaml_node_t *n, int i, void *arg)
{
    ((int *)arg)[i] = loader_whole(l, n, "a number of ranks", 1, 1024);
}

static void take_file(struct loader *l, yaml_node_t *n, int i, void *arg)
{
    const char *const name = loader_text(l, n, "a file name");
    if (!*name || strchr(name, '/') || name[0] == '.')
        loader_fail(l, n, "a file to edit is a plain name, not \"%s\"", name);
    ((char **)arg)[i] = strdup(name);
}

/* The name of a machine, or the path of its file. */
static char *topo(struct loader *l, const yaml_node_t *n)
{
    const char *const s = loader_text(l, n, "topo");
    if (!*s)
        loader_fail(l, n, "topo names a machine, such as %s", PLAN_TOPO);
    return strdup(s);
}

/* Read `full` or `none`, of a plan or a case. Returns 0 for other keys. */
static int take_ratio(struct loader *l, const char *key,
                      const yaml_node_t *value, double *full, double *none)
{
    if (!strcmp(key, "full") && *full == 0)
        *full = loader_number(l, value, "full", 1, 1000);
    else if (!strcmp(key, "none") && *none == 0)
        *none = loader_number(l, value, "none", 1, 1000);
    else
        return 0;
    return 1;
}

static void take_param(struct loader *l, yaml_node_t *key, yaml_node_t *value,
                       void *arg)
{
    struct plan_case *const c = arg;
    if (c->nwith == PLAN_MAX_PARAMS)
        return loader_fail(l, key, "more than %d parameters", PLAN_MAX_PARAMS);
    const char *const k = loader_text(l, key, "a parameter's name");
    if (plan_text(c, k, NULL))
        return loader_fail(l, key, "the parameter %s is given twice", k);
    c->with[c->nwith].key = strdup(k);
    c->with[c->nwith++].value = strdup(loader_text(l, value, "a parameter"));
}

static void take_case_pair(struct loader *l, yaml_node_t *key,
                           yaml_node_t *value, void *arg)
{
    struct plan_case *const c = arg;
    const char *const k = loader_text(l, key, "a key");
    if (!strcmp(k, "name") && !c->name)
        c->name = name(l, value, "name");
    else if (!strcmp(k, "kind") && !c->kind)
        c->kind = name(l, value, "kind");
    else if (!strcmp(k, "part"))
        c->part = loader_whole(l, value, "part", 1, 99);
    else if (!strcmp(k, "points"))
        c->points = loader_number(l, value, "points", 0, 1000);
    else if (!strcmp(k, "with"))
        loader_mapping(l, value, "with", take_param, c);
    else if (!strcmp(k, "ranks"))
        c->nranks =
            loader_list(l, value, PLAN_MAX_RANKS, "ranks", take_rank, c->ranks);
    else if (!strcmp(k, "topo") && !c->topo)
        c->topo = topo(l, value);
    else if (!strcmp(k, "timed"))
        c->timed = loader_whole(l, value, "timed", 0, 1);
    else if (!take_ratio(l, k, value, &c->full, &c->none))
        loader_fail(l, key, "unknown or repeated key \"%s\" in a case", k);
}

/* Give a case the plan's defaults. */
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
        loader_fail(l, n, "%s: full (%g) is less than none (%g)", c->name,
                    c->full, c->none);
    if (c->nranks == 0) {
        c->nranks = p->nranks;
        memcpy(c->ranks, p->ranks, sizeof c->ranks);
    }
    if (c->nranks == 0)
        loader_fail(l, n, "%s needs ranks, its own or before all cases",
                    c->name);
}

static void take_case(struct loader *l, yaml_node_t *n, int i, void *arg)
{
    struct plan *const p = arg;
    (void)i;
    p->cases = realloc(p->cases, ((size_t)p->ncases + 1) * sizeof *p->cases);
    if (!p->cases)
        abort();
    struct plan_case *const c = &p->cases[p->ncases++];
    *c = (struct plan_case){.hidden = l->hidden,
                            .line = (int)n->start_mark.line + 1};
    loader_mapping(l, n, "a case", take_case_pair, c);
    if (!c->name || !c->kind || !c->part)
        return loader_fail(l, n, "a case needs a name, a part and a kind");
    if (plan_find(p, c->name) != c)
        return loader_fail(l, n, "two cases are named \"%s\"", c->name);
    inherit(l, n, c);
}

static void take_idea(struct loader *l, yaml_node_t *key, yaml_node_t *value,
                      void *arg)
{
    struct plan *const p = arg;
    const int part = loader_whole(l, key, "a part", 1, PLAN_MAX_PARTS - 1);
    const char *const idea = loader_text(l, value, "an idea");
    if (l->failed)
        return;
    if (p->idea[part] || !*idea)
        return loader_fail(l, key, "the idea of part %d is %s", part,
                           *idea ? "given twice" : "empty");
    p->idea[part] = strdup(idea);
}

static void take_text(struct loader *l, yaml_node_t *n, int i, void *arg)
{
    ((char **)arg)[i] = strdup(loader_text(l, n, "a text"));
}

/* Read what a lab asks besides its cases. Returns 0 for other keys. */
static int take_asked(struct loader *l, const char *key, yaml_node_t *value)
{
    struct plan *const p = l->plan;
    if (!strcmp(key, "predict") && !p->predict[0])
        loader_list(l, value, 2, "predict", take_text, p->predict);
    else if (strcmp(key, "rubric") != 0 || p->rubric[0])
        return 0;
    else if (!l->hidden)
        loader_fail(l, value, "a rubric belongs into the hidden plan");
    else if (loader_list(l, value, 2, "rubric", take_text, p->rubric) != 2)
        loader_fail(l, value, "a rubric lists a cause and a consequence");
    return 1;
}

static void take_timezone(struct loader *l, const yaml_node_t *value)
{
    l->plan->timezone = strdup(loader_text(l, value, "timezone"));
    l->plan->timezone_line = (int)value->start_mark.line + 1;
}

static void take_pair(struct loader *l, yaml_node_t *key, yaml_node_t *value,
                      void *arg)
{
    struct plan *const p = arg;
    const char *const k = loader_text(l, key, "a key");
    if (!strcmp(k, "lab") && !p->lab)
        p->lab = name(l, value, "lab");
    else if (!strcmp(k, "title") && !p->title)
        p->title = strdup(loader_text(l, value, "title"));
    else if (!strcmp(k, "files") && !p->nfiles)
        p->nfiles =
            loader_list(l, value, PLAN_MAX_FILES, "files", take_file, p->file);
    else if (!strcmp(k, "ranks") && !p->nranks)
        p->nranks =
            loader_list(l, value, PLAN_MAX_RANKS, "ranks", take_rank, p->ranks);
    else if (!strcmp(k, "topo") && !p->topo)
        p->topo = topo(l, value);
    else if (!strcmp(k, "timezone") && !p->timezone)
        take_timezone(l, value);
    else if (!strcmp(k, "grace") && !p->grace)
        p->grace = loader_whole(l, value, "grace", 1, 1440);
    else if (!strcmp(k, "numbers"))
        loader_mapping(l, value, "numbers", plan_numbers_take, p);
    else if (!strcmp(k, "answers"))
        loader_mapping(l, value, "answers", plan_numbers_answer, p);
    else if (!strcmp(k, "idea"))
        loader_mapping(l, value, "idea", take_idea, p);
    else if (!strcmp(k, "isolation"))
        p->isolation = loader_whole(l, value, "isolation", 0, 3);
    else if (!strcmp(k, "cases"))
        loader_list(l, value, 1000, "cases", take_case, p);
    else if (!take_ratio(l, k, value, &p->full, &p->none) &&
             !take_asked(l, k, value))
        loader_fail(l, key, "unknown or repeated key \"%s\"", k);
}

/* ---- reference times ----------------------------------------------------- */

struct time { /* the time of a case on nranks ranks */
    const char *name;
    int nranks;
    double us;
};

static void take_time_pair(struct loader *l, yaml_node_t *key,
                           yaml_node_t *value, void *arg)
{
    struct time *const t = arg;
    const char *const k = loader_text(l, key, "a key");
    if (!strcmp(k, "case"))
        t->name = loader_text(l, value, "case");
    else if (!strcmp(k, "ranks"))
        t->nranks = loader_whole(l, value, "ranks", 1, 1024);
    else if (!strcmp(k, "us"))
        t->us = loader_number(l, value, "us", 0, 1e12);
    else
        loader_fail(l, key, "unknown key \"%s\" in a time", k);
}

/* Read a time; ignore those of cases that the plan no longer has. */
static void take_time(struct loader *l, yaml_node_t *n, int i, void *arg)
{
    struct plan *const p = arg;
    struct time t = {.name = ""};
    (void)i;
    loader_mapping(l, n, "a time", take_time_pair, &t);
    for (int at = 0; at < p->ncases; at++)
        for (int k = 0; k < p->cases[at].nranks; k++)
            if (strcmp(p->cases[at].name, t.name) == 0 &&
                p->cases[at].ranks[k] == t.nranks)
                p->cases[at].us[k] = t.us;
}

static void take_times(struct loader *l, yaml_node_t *key, yaml_node_t *value,
                       void *arg)
{
    if (strcmp(loader_text(l, key, "a key"), "times") != 0)
        return loader_fail(l, key, "times are under the key \"times\"");
    loader_list(l, value, 10000, "times", take_time, arg);
}

/* ---- files --------------------------------------------------------------- */

/* Read l->path and call `each` for the pairs of its mapping. */
static void load(struct loader *l, loader_pair_fn *each)
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
            loader_mapping(l, root, "a plan", each, l->plan);
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

/* A prediction is compared with cases of this plan. */
static void check_predict(struct loader *l)
{
    for (int i = 0; i < 2 && !l->failed; i++) {
        const char *const name = l->plan->predict[i];
        char near[256];
        if (!name || plan_find(l->plan, name))
            continue;
        plan_near(l->plan, name, near, sizeof near);
        snprintf(l->err, l->err_nbytes,
                 "%s: predict names \"%s\", which is not a case%s%s", l->path,
                 name, near[0] ? "; near it: " : "", near);
        l->failed = 1;
    }
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
    p->path[0] = strdup(visible);
    p->path[1] = hidden ? strdup(hidden) : NULL;
    load(&l, take_pair);
    if (!l.failed && (!p->lab || !p->nfiles || !p->ncases)) {
        snprintf(err, err_nbytes, "%s: a plan needs lab, files and cases",
                 visible);
        l.failed = 1;
    }
    check_predict(&l);
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
