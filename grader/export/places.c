#include "grader/export/places.h"

#include <math.h>   /* isnan */
#include <stdlib.h> /* qsort */
#include <string.h> /* strcmp */

static int by_place(const void *x, const void *y)
{
    const struct place_of *const a = x, *const b = y;
    if (a->score != b->score)
        return a->score < b->score ? 1 : -1;
    if (a->time_us != b->time_us)
        return a->time_us > b->time_us ? 1 : -1;
    return strcmp(a->name, b->name);
}

static double timed_us(const struct row *r)
{
    double sum = 0;
    for (int i = 0; i < r->g.ncases; i++)
        if (!isnan(r->g.cases[i].reference_us) && !isnan(r->g.cases[i].time_us))
            sum += r->g.cases[i].time_us;
    return sum;
}

struct place_of *places_list(const struct export *e, int *n)
{
    struct place_of *const p = calloc((size_t)e->nrows + 1, sizeof *p);
    if (!p)
        abort();
    *n = 0;
    for (int i = 0; i < e->nrows; i++) {
        const struct row *const r = &e->row[i];
        if (!r->has_score || !r->attempt)
            continue;
        ledger_pseudonym(e->ledger, r->student->key, p[*n].name,
                         sizeof p[*n].name);
        p[*n].score = r->final;
        p[(*n)++].time_us = timed_us(r);
    }
    qsort(p, (size_t)*n, sizeof *p, by_place);
    for (int i = 0; i < *n; i++)
        p[i].place = i > 0 && p[i].score == p[i - 1].score &&
                             p[i].time_us == p[i - 1].time_us
                         ? p[i - 1].place
                         : i + 1;
    return p;
}

int export_leaderboard(const struct export *e)
{
    FILE *const f = export_file(e);
    int n;
    if (!f)
        return -1;
    struct place_of *const p = places_list(e, &n);
    fprintf(f, "rank,name,score,timed_us\n");
    for (int i = 0; i < n; i++)
        fprintf(f, "%d,%s,%.2f,%.3f\n", p[i].place, p[i].name, p[i].score,
                p[i].time_us);
    free(p);
    return export_close(e, f);
}
