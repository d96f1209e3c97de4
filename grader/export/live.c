#define _GNU_SOURCE
#include "grader/export/live.h"

#include <glob.h>   /* glob */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */

#include "grader/export/class.h"
#include "grader/export/page.h"
#include "grader/export/places.h"

/* The submissions in the spool, which are being graded now. */
static int count_running(const char *ledger)
{
    char pattern[4096];
    glob_t found = {.gl_pathc = 0};
    snprintf(pattern, sizeof pattern, "%.4000s.spool/*.sub", ledger);
    glob(pattern, 0, NULL, &found);
    const int n = (int)found.gl_pathc;
    globfree(&found);
    return n;
}

/* Counts of students; excused ones are in none of the first three. */
static json_t *progress(const struct export *e, const char *ledger)
{
    int count[OUTCOMES] = {0}, graded = 0, excused = 0;
    for (int i = 0; i < e->nrows; i++) {
        const struct row *const r = &e->row[i];
        graded += r->attempt || r->excused;
        excused += r->excused;
        if (r->attempt && !r->excused)
            count[r->g.outcome]++;
    }
    return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "students",
                     e->nrows, "graded", graded, "pass", count[OUTCOME_PASS],
                     "fail", count[OUTCOME_FAIL], "open",
                     count[OUTCOME_SUSPECTED] + count[OUTCOME_INFRA], "excused",
                     excused, "running", count_running(ledger));
}

static json_t *leaderboard(const struct export *e)
{
    enum { MOST = 100 };
    int n;
    struct place_of *const p = places_list(e, &n);
    json_t *const all = json_array();
    for (int i = 0; i < n && i < MOST; i++)
        json_array_append_new(
            all, json_pack("{s:i, s:s, s:f, s:o}", "place", p[i].place, "name",
                           p[i].name, "score", p[i].score, "time_us",
                           p[i].time_us > 0 ? json_real(p[i].time_us)
                                            : json_null()));
    free(p);
    return all;
}

char *live_page(const char *ledger, const char *key, const char *lab,
                size_t *nbytes, char *err, size_t err_nbytes)
{
    struct export e = {.nrows = 0};
    char full[64], *page = NULL;
    snprintf(full, sizeof full, "%s", lab);
    e.ledger = ledger_open(ledger, key, LEDGER_READ, err, err_nbytes);
    if (!e.ledger)
        return NULL;
    if (class_load(&e, full, 0, err, err_nbytes) == 0) {
        FILE *const f = open_memstream(&page, nbytes);
        json_t *const data = progress(&e, ledger);
        json_object_set_new(data, "title", page_text(e.title));
        json_object_set_new(data, "scores", page_scores(&e));
        json_object_set_new(data, "max", json_real(e.max_score));
        json_object_set_new(data, "places", leaderboard(&e));
        page_write(f, PAGE_LIVE, e.title, LIVE_EVERY_SEC, data);
        fclose(f);
    }
    class_release(&e);
    ledger_close(e.ledger);
    return page;
}
