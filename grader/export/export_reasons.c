/*
 * export_reasons.c: the class' cases: how many pass, and why others have none
 */
#include <ctype.h>  /* isdigit */
#include <stdlib.h> /* qsort */
#include <string.h> /* strcmp */

#include "export_html.h"
#include "html.h"

/* pass, partial, fail, not written: of one case, over the class. */
static void count_case(const struct export *e, const char *name, int count[4])
{
    for (int i = 0; i < e->nrows; i++)
        for (int k = 0; k < e->row[i].g.ncases; k++) {
            const struct grading_case *const c = &e->row[i].g.cases[k];
            if (strcmp(c->name, name) != 0)
                continue;
            const int pass = c->outcome == OUTCOME_PASS;
            const int hole = strncmp(c->message, "not implemented", 15) == 0;
            count[pass ? 0 : c->score > 0 ? 1 : hole ? 3 : 2]++;
        }
}

static void case_row(FILE *f, const struct export *e,
                     const struct grading_case *c)
{
    int count[4] = {0};
    count_case(e, c->name, count);
    const int all = count[0] + count[1] + count[2] + count[3];
    fprintf(f, "<tr><th scope=\"row\" class=\"c\">");
    html_text(f, c->name);
    fprintf(f, "%s</th><td class=\"n\">",
            c->hidden ? " <span class=\"dim\">hidden</span>" : "");
    html_points(f, c->max_score);
    fprintf(f, "</td><td class=\"n\">%d</td><td class=\"n\">%d %%</td><td>",
            count[0], all ? (100 * count[0] + all / 2) / all : 0);
    html_bar(f, count);
    fprintf(f, "</td></tr>\n");
}

static void case_table(FILE *f, const struct export *e)
{
    const struct row *most = NULL;
    for (int i = 0; i < e->nrows; i++)
        if (!most || e->row[i].g.ncases > most->g.ncases)
            most = &e->row[i];
    fprintf(f, "<h2 id=\"cases\">Cases</h2>\n<p class=\"key dim\"><i "
               "style=\"background:var(--pass)\"></i>pass<i "
               "style=\"background:var(--part)\"></i>partial<i "
               "style=\"background:var(--fail)\"></i>fail<i "
               "style=\"background:var(--none)\"></i>not written</p>\n");
    html_table(f, "", "How many pass, of those whose case was judged",
               "case|#points|#pass|#rate|class");
    for (int i = 0; most && i < most->g.ncases; i++)
        case_row(f, e, &most->g.cases[i]);
    fprintf(f, "</tbody></table>\n");
}

/* ---- why there are no points --------------------------------------------- */

enum { REASON = 160 };

struct reason {
    char text[REASON];
    int cases, students;
    const struct row *last; /* student that was counted */
};

struct reasons {
    struct reason *r;
    int n;
};

/* The first line of a message; numbers in it are N, so that alike are alike. */
static void plain(const char *message, char out[REASON])
{
    size_t n = 0;
    for (const char *p = message; *p && *p != '\n' && n + 2 < REASON; p++) {
        if (!isdigit((unsigned char)*p))
            out[n++] = *p;
        else if (p == message || !isdigit((unsigned char)p[-1]))
            out[n++] = 'N';
    }
    out[n] = 0;
}

static void count_reason(struct reasons *all, const struct row *r,
                         const char *message)
{
    char text[REASON];
    struct reason *of = NULL;
    plain(message, text);
    for (int i = 0; i < all->n && !of; i++)
        if (strcmp(all->r[i].text, text) == 0)
            of = &all->r[i];
    if (!of) {
        all->r = realloc(all->r, ((size_t)all->n + 1) * sizeof *all->r);
        if (!all->r)
            abort();
        of = &all->r[all->n++];
        *of = (struct reason){.cases = 0};
        memcpy(of->text, text, sizeof text);
    }
    of->cases++;
    of->students += of->last != r;
    of->last = r;
}

static int by_count(const void *x, const void *y)
{
    const struct reason *const a = x, *const b = y;
    if (a->students != b->students)
        return b->students - a->students;
    return a->cases != b->cases ? b->cases - a->cases
                                : strcmp(a->text, b->text);
}

static void reason_table(FILE *f, const struct export *e)
{
    enum { MOST = 15 };
    struct reasons all = {NULL, 0};
    for (int i = 0; i < e->nrows; i++) {
        const struct row *const r = &e->row[i];
        for (int k = 0; k < r->g.ncases; k++)
            if (r->g.cases[k].outcome != OUTCOME_PASS &&
                !(r->g.cases[k].score > 0))
                count_reason(&all, r, r->g.cases[k].message);
        if (r->attempt && r->g.ncases == 0)
            count_reason(&all, r, r->g.message);
    }
    if (all.n)
        qsort(all.r, (size_t)all.n, sizeof *all.r, by_count);
    fprintf(f, "<h2 id=\"reasons\">Why there are no points</h2>\n");
    html_table(f, "", "Of cases without any; N stands for numbers",
               "reason|#students|#cases");
    for (int i = 0; i < all.n && i < MOST; i++) {
        fprintf(f, "<tr><th scope=\"row\">");
        html_text(f, all.r[i].text);
        fprintf(f, "</th><td class=\"n\">%d</td><td class=\"n\">%d</td></tr>\n",
                all.r[i].students, all.r[i].cases);
    }
    fprintf(f, "</tbody></table>\n");
    free(all.r);
}

void export_case_tables(FILE *f, const struct export *e)
{
    case_table(f, e);
    reason_table(f, e);
}
