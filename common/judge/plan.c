#define _GNU_SOURCE
#include "judge/plan.h"

#include <math.h>   /* NAN */
#include <stdarg.h> /* va_list */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free, strtoll */
#include <string.h> /* strcmp */

#include "base/near.h"
#include "topo/topo.h"

void plan_free(struct plan *p)
{
    if (!p)
        return;
    for (int i = 0; i < p->ncases; i++) {
        struct plan_case *const c = &p->cases[i];
        for (int k = 0; k < c->nwith; k++) {
            free(c->with[k].key);
            free(c->with[k].value);
        }
        free(c->name);
        free(c->kind);
        free(c->topo);
        answer_free(c->answer);
        free(c->also);
    }
    numbers_release(&p->numbers);
    for (int i = 0; i < p->nfiles; i++)
        free(p->file[i]);
    for (int i = 0; i < PLAN_MAX_PARTS; i++)
        free(p->idea[i]);
    for (int i = 0; i < 2; i++) {
        free(p->predict[i]);
        free(p->rubric[i]);
        free(p->path[i]);
    }
    free(p->cases);
    free(p->lab);
    free(p->title);
    free(p->topo);
    free(p->timezone);
    free(p);
}

/* Every draw has answers: plan_load() has checked. */
void plan_draw(struct plan *p, const char *student)
{
    char err[256];
    snprintf(p->student, sizeof p->student, "%s", student);
    p->draw = numbers_draw(&p->numbers, p->lab, p->student);
    for (int i = 0; i < p->ncases; i++) {
        struct plan_case *const c = &p->cases[i];
        if (c->answer && answer_value(&p->numbers, c->answer, &p->draw,
                                      &c->right, err, sizeof err) != 0)
            abort();
    }
}

/* Add the right answers for a draw. */
static void add_answers(struct plan *p, const struct draw *d)
{
    char err[256];
    for (int i = 0; i < p->ncases; i++) {
        struct plan_case *const c = &p->cases[i];
        if (!c->answer)
            continue;
        c->also = realloc(c->also, ((size_t)c->nalso + 1) * sizeof *c->also);
        if (!c->also ||
            answer_value(&p->numbers, c->answer, d, &c->also[c->nalso++], err,
                         sizeof err) != 0)
            abort();
    }
}

void plan_draw_also(struct plan *p, const char *students)
{
    for (const char *at = students; *at;) {
        char student[PLAN_STUDENT];
        const int n = (int)strcspn(at, ",");
        snprintf(student, sizeof student, "%.*s", n, at);
        const struct draw d = numbers_draw(&p->numbers, p->lab, student);
        add_answers(p, &d);
        at += n;
        at += *at == ',';
    }
}

double plan_tolerance(const struct plan_case *c)
{
    return strtod(plan_text(c, "tolerance", "0"), NULL);
}

int plan_wrong(const struct plan *p, const struct plan_case *c, char *err,
               size_t err_nbytes, const char *format, ...)
{
    const char *const path = p->path[c->hidden];
    va_list args;
    const int n =
        snprintf(err, err_nbytes, "%s:%d: case %s: ", path ? path : "the plan",
                 c->line, c->name);
    va_start(args, format);
    if (n > 0 && (size_t)n < err_nbytes)
        vsnprintf(err + n, err_nbytes - (size_t)n, format, args);
    va_end(args);
    return -1;
}

int plan_check_answers(const struct plan *p, char *err, size_t err_nbytes)
{
    char why[512] = "the hidden plan has no answer to it";
    for (int i = 0; i < p->ncases; i++) {
        const struct plan_case *const c = &p->cases[i];
        const char *const question = plan_text(c, "question", NULL);
        if (!question || (c->answer && answer_differs(&p->numbers, c->answer,
                                                      plan_tolerance(c), why,
                                                      sizeof why) == 0))
            continue;
        return plan_wrong(p, c, err, err_nbytes, "question %s: %s", question,
                          why);
    }
    return 0;
}

int plan_check_times(const struct plan *p, char *err, size_t err_nbytes)
{
    for (int i = 0; i < p->ncases; i++)
        for (int k = 0; p->cases[i].timed && k < p->cases[i].nranks; k++)
            if (!(p->cases[i].us[k] > 0)) {
                snprintf(err, err_nbytes,
                         "times/%s.yaml has no time for %s on %d ranks: run "
                         "make plans",
                         p->lab, p->cases[i].name, p->cases[i].ranks[k]);
                return -1;
            }
    return 0;
}

static int most_ranks(const struct plan_case *c)
{
    int most = 0;
    for (int k = 0; k < c->nranks; k++)
        most = c->ranks[k] > most ? c->ranks[k] : most;
    return most;
}

/* True if an earlier case needs as many ranks of the same machine. */
static int is_checked(const struct plan *p, int i)
{
    for (int k = 0; k < i; k++)
        if (strcmp(p->cases[k].topo, p->cases[i].topo) == 0 &&
            most_ranks(&p->cases[k]) >= most_ranks(&p->cases[i]))
            return 1;
    return 0;
}

int plan_check_machines(const struct plan *p, char *err, size_t err_nbytes)
{
    char why[256];
    for (int i = 0; i < p->ncases; i++) {
        const struct plan_case *const c = &p->cases[i];
        if (is_checked(p, i))
            continue;
        struct topo *const t = topo_load(c->topo, why, sizeof why);
        const int ngpus = t ? topo_ngpus(t) : 0;
        topo_free(t);
        if (t && most_ranks(c) <= ngpus)
            continue;
        if (t)
            snprintf(why, sizeof why, "%s has %d GPUs, and it has %d ranks",
                     c->topo, ngpus, most_ranks(c));
        return plan_wrong(p, c, err, err_nbytes, "%s", why);
    }
    return 0;
}

double plan_points(const struct plan *p)
{
    double sum = 0;
    for (int i = 0; i < p->ncases; i++)
        sum += p->cases[i].points;
    return sum;
}

double plan_reference_us(const struct plan_case *c, int nranks)
{
    for (int k = 0; c->timed && k < c->nranks; k++)
        if (c->ranks[k] == nranks && c->us[k] > 0)
            return c->us[k];
    return NAN;
}

int plan_fits(const struct plan_case *c, int nranks, const char *topo)
{
    int has_ranks = 0;
    for (int k = 0; k < c->nranks; k++)
        has_ranks |= c->ranks[k] == nranks;
    return !c->pinned || (has_ranks && (!topo || strcmp(c->topo, topo) == 0));
}

const struct plan_case *plan_find(const struct plan *p, const char *name)
{
    for (int i = 0; i < p->ncases; i++)
        if (p->cases[i].name && strcmp(p->cases[i].name, name) == 0)
            return &p->cases[i];
    return NULL;
}

void plan_near(const struct plan *p, const char *name, char *out, size_t nbytes)
{
    size_t at = 0;
    out[0] = 0;
    for (int i = 0; i < p->ncases; i++) {
        const char *const have = p->cases[i].name;
        if (!(name[0] && strstr(have, name)) && !strstr(name, have) &&
            near_distance(name, have) > 2)
            continue;
        const int n =
            snprintf(out + at, nbytes - at, "%s%s", at ? ", " : "", have);
        if (n < 0 || (size_t)n >= nbytes - at) {
            out[at] = 0; // never return a truncated name
            return;
        }
        at += (size_t)n;
    }
}

const char *plan_text(const struct plan_case *c, const char *key,
                      const char *otherwise)
{
    for (int i = 0; i < c->nwith; i++)
        if (strcmp(c->with[i].key, key) == 0)
            return c->with[i].value;
    return otherwise;
}

int64_t plan_int(const struct plan_case *c, const char *key, int64_t otherwise)
{
    const char *const text = plan_text(c, key, NULL);
    return text ? strtoll(text, NULL, 0) : otherwise;
}
