#define _GNU_SOURCE
#include "live.h"

#include <glob.h>   /* glob */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */

#include "class.h"
#include "html.h"
#include "places.h"

/* Submissions in the spool: those that are at work now. */
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

static void tile(FILE *f, int n, const char *what)
{
    fprintf(f, "<div><b>%d</b>%s</div>", n, what);
}

static void progress(FILE *f, const struct export *e, const char *ledger)
{
    int count[OUTCOMES] = {0}, graded = 0, excused = 0;
    for (int i = 0; i < e->nrows; i++) {
        const struct row *const r = &e->row[i];
        graded += r->attempt || r->excused;
        excused += r->excused;
        if (r->attempt && !r->excused)
            count[r->g.outcome]++;
    }
    fprintf(f,
            "<h2>Grading</h2>\n<p role=\"status\">%d of %d students</p>\n"
            "<progress max=\"%d\" value=\"%d\" style=\"width:100%%\" "
            "aria-label=\"students graded\"></progress>\n"
            "<div class=\"tiles\">",
            graded, e->nrows, e->nrows, graded);
    tile(f, count[OUTCOME_PASS], "full marks");
    tile(f, count[OUTCOME_FAIL], "some points missing");
    tile(f, count[OUTCOME_SUSPECTED] + count[OUTCOME_INFRA], "not final");
    if (excused)
        tile(f, excused, "excused");
    tile(f, count_running(ledger), "running now");
    fprintf(f, "</div>\n");
    html_histogram(f, e);
}

static void leaderboard(FILE *f, const struct export *e)
{
    enum { MOST = 100 };
    int n;
    struct place_of *const p = places_list(e, &n);
    fprintf(f, "<h2>Leaderboard</h2>\n");
    html_table(f, "",
               "By points, then by the modelled times of the timed "
               "cases. Names are pseudonyms",
               "#rank|name|#points|#time");
    for (int i = 0; i < n && i < MOST; i++) {
        fprintf(f,
                "<tr><td class=\"n\">%d</td><th scope=\"row\" class=\"w\">%s"
                "</th><td class=\"n\">",
                p[i].place, p[i].name);
        html_points(f, p[i].score);
        fprintf(f, "</td><td class=\"n\">");
        if (p[i].time_us > 0)
            fprintf(f, "%.2f us", p[i].time_us);
        fprintf(f, "</td></tr>\n");
    }
    fprintf(f, "</tbody></table>\n");
    free(p);
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
        html_begin(f, e.title, NULL, LIVE_EVERY_SEC);
        fprintf(f, "<h1>");
        html_text(f, e.title);
        fprintf(f, "</h1>\n");
        progress(f, &e, ledger);
        leaderboard(f, &e);
        html_end(f, NULL);
        fclose(f);
    }
    class_release(&e);
    ledger_close(e.ledger);
    return page;
}
