#define _GNU_SOURCE
#include "grader/export/course.h"

#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */

#include "grader/base/text.h"
#include "grader/export/cells.h"

/* ---- a student's labs ---------------------------------------------------- */

/* The student's row in a lab. Sections may have ledgers of their own; of two
 * rows, the one with something in it. */
static const struct row *find_row(const struct course *c, int lab,
                                  const char *key)
{
    const struct row *found = NULL;
    for (int i = 0; i < c->nparts; i++) {
        const struct export *const e = &c->part[i];
        const struct student *const s =
            strcmp(c->part_lab[i], c->lab[lab].name) == 0
                ? roster_find(e->roster, key)
                : NULL;
        const struct row *const r = s ? &e->row[s - e->roster->student] : NULL;
        if (r && (!found || r->attempt || r->given || r->excused || r->pending))
            found = r;
    }
    return found;
}

static enum course_state state_of(const struct row *r)
{
    if (!r || r->excused)
        return COURSE_NONE;
    if (r->has_score)
        return COURSE_COUNTS;
    return r->attempt || r->pending ? COURSE_WAITS : COURSE_MISSING;
}

/* The points that are left if `free` of the late days cost nothing. */
static double left_of(const struct course *c, const struct course_mark *m,
                      int free)
{
    const double left = 1 - c->late_percent / 100 * (m->late - free);
    return left > 0 ? m->score * left : 0;
}

static double value_of(const struct course *c, int lab,
                       const struct course_mark *m, int free)
{
    const struct course_lab *const l = &c->lab[lab];
    return l->max_score > 0 ? l->weight * left_of(c, m, free) / l->max_score
                            : 0;
}

/* Give the pool's days to the labs where they save the most:
 * best[i][days] is the highest value of the first i labs with that many
 * days. */
static void spend_pool(const struct course *c, struct course_result *r)
{
    static double best[COURSE_LABS + 1][COURSE_POOL + 1];
    static const double SAME = 1e-9;
    int left = c->pool;
    for (int i = 0; i < c->nlabs; i++)
        for (int days = 0; days <= c->pool; days++) {
            const struct course_mark *const m = &r->mark[i];
            double most = -1;
            for (int d = 0; d <= days && d <= m->late; d++) {
                const double v = best[i][days - d] + value_of(c, i, m, d);
                most = v > most ? v : most;
            }
            best[i + 1][days] = most;
        }
    for (int i = c->nlabs - 1; i >= 0; i--) {
        struct course_mark *const m = &r->mark[i];
        int d = 0;
        while (best[i][left - d] + value_of(c, i, m, d) <
               best[i + 1][left] - SAME)
            d++;
        m->free = d;
        left -= d;
    }
    r->pool_left = left;
}

static int is_lower(const struct course *c, const struct course_result *r,
                    int a, int b)
{
    if (r->mark[a].share != r->mark[b].share)
        return r->mark[a].share < r->mark[b].share;
    return c->lab[a].weight > c->lab[b].weight;
}

/* Drop the labs with the lowest shares, but not all. */
static void drop_lowest(const struct course *c, struct course_result *r)
{
    for (int n = 0; n < c->drop; n++) {
        int lowest = -1, left = 0;
        for (int i = 0; i < c->nlabs; i++) {
            const struct course_mark *const m = &r->mark[i];
            if (m->dropped || m->state > COURSE_MISSING ||
                !(c->lab[i].weight > 0))
                continue;
            left++;
            lowest = lowest < 0 || is_lower(c, r, i, lowest) ? i : lowest;
        }
        if (left < 2)
            return;
        r->mark[lowest].dropped = 1;
    }
}

static void sum_up(const struct course *c, struct course_result *r)
{
    double sum = 0, weights = 0;
    r->has_total = 1;
    for (int i = 0; i < c->nlabs; i++) {
        const struct course_mark *const m = &r->mark[i];
        const double weight = c->lab[i].weight;
        if (m->state == COURSE_WAITS && weight > 0)
            r->has_total = 0;
        if (m->state > COURSE_MISSING || m->dropped)
            continue;
        sum += weight * m->share;
        weights += weight;
    }
    r->has_total &= weights > 0;
    r->total = weights > 0 ? c->points * sum / weights : 0;
}

static void find_result(const struct course *c, struct course_result *r)
{
    for (int i = 0; i < c->nlabs; i++) {
        struct course_mark *const m = &r->mark[i];
        const struct row *const row = find_row(c, i, r->student->key);
        m->row = row;
        m->state = state_of(row);
        if (m->state != COURSE_COUNTS)
            continue;
        m->late = row->attempt ? row->days_late : 0;
        m->score = row->attempt ? row->g.score : row->final;
    }
    spend_pool(c, r);
    for (int i = 0; i < c->nlabs; i++) {
        struct course_mark *const m = &r->mark[i];
        m->score = left_of(c, m, m->free);
        m->share = c->lab[i].max_score > 0 ? m->score / c->lab[i].max_score : 0;
    }
    drop_lowest(c, r);
    sum_up(c, r);
}

/* How much a roster says of a student. */
static int count_texts(const struct student *s)
{
    return !!s->name[0] + !!s->email[0] + !!s->section[0] + !!s->id[0] +
           !!s->sis_id[0];
}

/* The roster that says more about a student comes first; else the later one. */
static int by_key(const void *a, const void *b)
{
    const struct course_result *const x = a, *const y = b;
    const int order = strcmp(x->student->key, y->student->key),
              more = count_texts(y->student) - count_texts(x->student);
    return order ? order : more ? more : y->part - x->part;
}

/* All students, sorted, which the caller frees. */
static struct course_result *results_of(const struct course *c, int *n)
{
    int room = 0, kept = 0;
    for (int i = 0; i < c->nparts; i++)
        room += c->part[i].nrows;
    struct course_result *const all = calloc((size_t)room + 1, sizeof *all);
    if (!all)
        abort();
    *n = 0;
    for (int i = 0; i < c->nparts; i++)
        for (int k = 0; k < c->part[i].nrows; k++)
            all[(*n)++] = (struct course_result){
                .student = c->part[i].row[k].student, .part = i};
    qsort(all, (size_t)*n, sizeof *all, by_key);
    for (int i = 0; i < *n; i++)
        if (kept == 0 ||
            strcmp(all[kept - 1].student->key, all[i].student->key) != 0)
            all[kept++].student = all[i].student;
    *n = kept;
    for (int i = 0; i < kept; i++)
        find_result(c, &all[i]);
    return all;
}

/* ---- tables -------------------------------------------------------------- */

static const char *short_name(const struct course_lab *l, char out[64])
{
    snprintf(out, 64, "%.*s", (int)strcspn(l->name, "-"), l->name);
    return out;
}

static void explain_lab(FILE *f, const struct course_mark *m, const char *lab)
{
    if (m->state == COURSE_NONE)
        fprintf(text_next(f), "%s: %s", lab,
                m->row ? "excused" : "not asked for");
    else if (m->state == COURSE_MISSING)
        fprintf(text_next(f), "%s: nothing handed in", lab);
    else if (m->state == COURSE_WAITS)
        fprintf(text_next(f), "%s: waits, %s", lab, export_outcome(m->row));
    if (m->late)
        fprintf(text_next(f), "%s: %d day%s late, %d free", lab, m->late,
                m->late == 1 ? "" : "s", m->free);
    if (m->dropped)
        fprintf(text_next(f), "%s: dropped", lab);
}

/* One line on how the total comes about. The caller frees it. */
static char *explain(const struct course *c, const struct course_result *r)
{
    char *text = NULL, lab[64];
    size_t nbytes;
    FILE *const f = open_memstream(&text, &nbytes);
    for (int i = 0; i < c->nlabs; i++)
        explain_lab(f, &r->mark[i], short_name(&c->lab[i], lab));
    if (c->pool)
        fprintf(text_next(f), "%d of %d free days left", r->pool_left, c->pool);
    fclose(f);
    return text;
}

static FILE *open_out(const struct course *c)
{
    const struct export e = {.out = c->out, .verb = "course"};
    return export_file(&e);
}

static int close_out(const struct course *c, FILE *f)
{
    const struct export e = {.out = c->out, .verb = "course"};
    return export_close(&e, f);
}

typedef void course_line(const struct course *c, FILE *f,
                         const struct course_result *r);

/* Write the head and a line for each student. */
static int write_all(const struct course *c,
                     void (*head)(const struct course *c, FILE *f),
                     course_line *line)
{
    int n;
    FILE *const f = open_out(c);
    if (!f)
        return -1;
    struct course_result *const all = results_of(c, &n);
    head(c, f);
    for (int i = 0; i < n; i++)
        line(c, f, &all[i]);
    free(all);
    return close_out(c, f);
}

static void csv_head(const struct course *c, FILE *f)
{
    fprintf(f, "student,name,email,section,");
    for (int i = 0; i < c->nlabs; i++)
        fprintf(f, "%s,%s days_late,%s free,", c->lab[i].name, c->lab[i].name,
                c->lab[i].name);
    fprintf(f, "free_left,total,feedback\n");
}

static void csv_line(const struct course *c, FILE *f,
                     const struct course_result *r)
{
    const struct student *const s = r->student;
    char *const feedback = explain(c, r);
    cells_login(f, r->student, ',');
    cells_text(f, s->name, ',');
    cells_text(f, s->email, ',');
    cells_text(f, s->section, ',');
    for (int i = 0; i < c->nlabs; i++) {
        const struct course_mark *const m = &r->mark[i];
        cells_number(f, m->state == COURSE_COUNTS, m->score, "", ',');
        fprintf(f, "%d,%d,", m->late, m->free);
    }
    fprintf(f, "%d,", r->pool_left);
    cells_number(f, r->has_total, r->total, "", ',');
    cells_text(f, feedback, '\n');
    free(feedback);
}

int course_csv(const struct course *c)
{
    return write_all(c, csv_head, csv_line);
}

static void canvas_head(const struct course *c, FILE *f)
{
    fprintf(f, "Student,ID,SIS User ID,SIS Login ID,Section,");
    for (int i = 0; i < c->nlabs; i++)
        cells_canvas_title(f, c->lab[i].title, c->lab[i].assignment, ',');
    cells_canvas_title(f, "Course", c->assignment, '\n');
    fprintf(f, "Points Possible,,,,,");
    for (int i = 0; i < c->nlabs; i++)
        fprintf(f, "%.2f,", c->lab[i].max_score);
    fprintf(f, "%.2f\n", c->points);
}

static void canvas_line(const struct course *c, FILE *f,
                        const struct course_result *r)
{
    const struct student *const s = r->student;
    if (s->name[0])
        cells_text(f, s->name, ',');
    else
        cells_login(f, r->student, ',');
    cells_text(f, s->id, ',');
    cells_text(f, s->sis_id, ',');
    cells_login(f, r->student, ',');
    cells_text(f, s->section, ',');
    for (int i = 0; i < c->nlabs; i++) {
        const struct course_mark *const m = &r->mark[i];
        cells_number(f, m->state == COURSE_COUNTS, m->score,
                     m->row && m->row->excused ? "EX" : "", ',');
    }
    cells_number(f, r->has_total, r->total, "", '\n');
}

int course_canvas(const struct course *c)
{
    return write_all(c, canvas_head, canvas_line);
}

static void moodle_head(const struct course *c, FILE *f)
{
    char title[300];
    fprintf(f, "Email address,ID number,Username,");
    for (int i = 0; i < c->nlabs; i++) {
        snprintf(title, sizeof title, "%s (points)", c->lab[i].title);
        cells_text(f, title, ',');
        snprintf(title, sizeof title, "%s feedback", c->lab[i].title);
        cells_text(f, title, ',');
    }
    fprintf(f, "\"Course (points)\",\"Course feedback\"\n");
}

static void moodle_line(const struct course *c, FILE *f,
                        const struct course_result *r)
{
    char *const feedback = explain(c, r);
    cells_text(f, r->student->email, ',');
    cells_text(f, r->student->sis_id, ',');
    cells_login(f, r->student, ',');
    for (int i = 0; i < c->nlabs; i++) {
        const struct course_mark *const m = &r->mark[i];
        char *const of_lab = m->row ? export_feedback(m->row) : NULL;
        cells_number(f, m->state == COURSE_COUNTS, m->score, "-", ',');
        cells_text(f, of_lab ? of_lab : "", ',');
        free(of_lab);
    }
    cells_number(f, r->has_total, r->total, "-", ',');
    cells_text(f, feedback, '\n');
    free(feedback);
}

int course_moodle(const struct course *c)
{
    return write_all(c, moodle_head, moodle_line);
}
