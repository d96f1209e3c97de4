#define _GNU_SOURCE
#include "grader/intake/roster.h"

#include <errno.h>   /* errno */
#include <stdio.h>   /* fopen */
#include <stdlib.h>  /* calloc */
#include <string.h>  /* strcmp */
#include <strings.h> /* strcasecmp */

#include "base/near.h"
#include "grader/base/csv.h"
#include "grader/base/text.h"

enum { MAX_ROSTER = 64 << 20 };

/*
 * The texts of a student: their columns, and their places in the struct. A
 * gradebook, or a download, finds the student by one of those that are unique.
 * Logins and addresses are the same in upper and lower case, as are folders on
 * some systems.
 */
static const struct {
    const char *column;
    size_t offset;
    int unique;
} texts[] = {{"student", offsetof(struct student, key), 1},
             {"name", offsetof(struct student, name), 0},
             {"email", offsetof(struct student, email), 1},
             {"section", offsetof(struct student, section), 0},
             {"id", offsetof(struct student, id), 1},
             {"sis_id", offsetof(struct student, sis_id), 1},
             {"github", offsetof(struct student, github), 1},
             {"group", offsetof(struct student, group), 0}};
enum { NTEXTS = sizeof texts / sizeof *texts };

static char **text_of(struct student *s, int i)
{
    return (char **)((char *)s + texts[i].offset);
}

int64_t roster_submitted(const struct student *s, int attempt)
{
    return attempt >= 1 && attempt <= ROSTER_ATTEMPTS
               ? s->submitted[attempt - 1]
               : ROSTER_NEVER;
}

int roster_days_late(const struct student *s, int64_t t)
{
    return roster_days_between(s->deadline, t, s->late_days);
}

/* ---- reading ------------------------------------------------------------- */

struct columns {
    int text[NTEXTS], deadline, submitted[ROSTER_ATTEMPTS], late_days;
};

/* Find the deadline's column: deadline:lab2 takes precedence over deadline. */
static int deadline_column(const struct csv *c, const char *lab)
{
    char name[100];
    snprintf(name, sizeof name, "deadline:%s", lab);
    int column = csv_column(c, name);
    snprintf(name, sizeof name, "deadline:%.*s", (int)strcspn(lab, "-"), lab);
    column = column >= 0 ? column : csv_column(c, name);
    return column >= 0 ? column : csv_column(c, "deadline");
}

static int submitted_column(const struct csv *c, int attempt)
{
    char name[32];
    snprintf(name, sizeof name, "submitted@%d", attempt);
    const int column = csv_column(c, name);
    return column < 0 && attempt == 1 ? csv_column(c, "submitted") : column;
}

/* True if the roster has a column with this name. */
static int is_known(const char *name)
{
    int attempt, used = 0;
    if (!*name || *name == '#' || strncasecmp(name, "deadline:", 9) == 0)
        return 1;
    if (sscanf(name, "submitted@%d%n", &attempt, &used) == 1 && !name[used])
        return attempt >= 1 && attempt <= ROSTER_ATTEMPTS;
    for (int i = 0; i < NTEXTS; i++)
        if (strcasecmp(name, texts[i].column) == 0)
            return 1;
    return strcasecmp(name, "deadline") == 0 ||
           strcasecmp(name, "submitted") == 0 ||
           strcasecmp(name, "late_days") == 0;
}

/* The known column with the most similar name; NULL if none is similar. */
static const char *nearest(const char *name)
{
    struct near near = {NULL, 0};
    static const char *const others[] = {"deadline", "submitted", "late_days"};
    for (int i = 0; i < NTEXTS + 3; i++) {
        const char *const have =
            i < NTEXTS ? texts[i].column : others[i - NTEXTS];
        const int length = (int)strlen(have);
        near_try(&near, name, have, length > 3 ? 3 : length - 1);
    }
    return near.name;
}

/* Check the columns. Returns 0, or -1 with the first column that
 * has no meaning. */
static int check_columns(const struct csv *c, char *err, size_t err_nbytes)
{
    for (int i = 0; c->nrows && i < c->row[0].nfields; i++) {
        const char *const name = csv_field(&c->row[0], i);
        if (is_known(name))
            continue;
        char *const clean = text_clean(name, TEXT_NAME);
        const char *const near = nearest(name);
        snprintf(err, err_nbytes,
                 "1: there is no column \"%.60s\"%s%s%s (begin its name with "
                 "# if nothing is to read it)",
                 clean, near ? ": did you mean \"" : "", near ? near : "",
                 near ? "\"?" : "");
        free(clean);
        return -1;
    }
    return 0;
}

/* Read a time with one of these two functions; an empty text is
 * ROSTER_NEVER. */
static int take_time(const char *text, int64_t *t,
                     int (*read)(const char *text, int64_t *t))
{
    *t = ROSTER_NEVER;
    return *text ? read(text, t) : 0;
}

/* Read a row. Returns NULL, or what is wrong with it. */
static const char *take(struct student *s, const struct csv_row *row,
                        const struct columns *c)
{
    char *end;
    for (int i = 0; i < NTEXTS; i++)
        *text_of(s, i) = text_clean(csv_field(row, c->text[i]), TEXT_NAME);
    if (!text_is_key(csv_field(row, c->text[0])))
        return "a student is 1 to 64 letters, digits and ._@+-";
    if (take_time(csv_field(row, c->deadline), &s->deadline, roster_deadline) !=
        0)
        return "a deadline is a time like 2026-03-01T23:59:00Z";
    for (int i = 0; i < ROSTER_ATTEMPTS; i++)
        if (take_time(csv_field(row, c->submitted[i]), &s->submitted[i],
                      roster_time) != 0)
            return "submitted is a time like 2026-03-01T23:59:00Z";
    const char *const days = csv_field(row, c->late_days);
    const long n = strtol(days, &end, 10);
    if (*end || n < 0 || n > ROSTER_LATE_DAYS)
        return "late_days is a number of days";
    s->late_days = (int)n;
    return NULL;
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct student *)a)->key,
                  ((const struct student *)b)->key);
}

/* Sort the students. Returns one whose key occurs twice, since the two would
 * share a folder; else NULL. */
static const struct student *sort(struct roster *r)
{
    qsort(r->student, (size_t)r->n, sizeof *r->student, by_key);
    for (int i = 1; i < r->n; i++)
        if (strcmp(r->student[i - 1].key, r->student[i].key) == 0)
            return &r->student[i];
    return NULL;
}

/* True for a file as some spreadsheets save it where numbers have a
 * decimal comma. */
static int has_semicolons(const struct csv *c)
{
    return c->nrows > 0 && strchr(csv_field(&c->row[0], 0), ';') != NULL;
}

struct keyed { /* a row's field in one column */
    const char *text;
    int line;
};

static int by_text(const void *a, const void *b)
{
    const struct keyed *const x = a, *const y = b;
    const int order = strcasecmp(x->text, y->text);
    return order ? order : x->line - y->line;
}

/* Find two rows with the same text in a column. Returns 0 if there are none. */
static int find_twins(const struct csv *c, int column, struct keyed twins[2])
{
    struct keyed *const all = calloc((size_t)c->nrows + 1, sizeof *all);
    int n = 0, found = 0;
    if (!all)
        abort();
    for (int i = 1; i < c->nrows; i++) {
        const char *const text = csv_field(&c->row[i], column);
        if (*text)
            all[n++] = (struct keyed){text, c->row[i].line};
    }
    qsort(all, (size_t)n, sizeof *all, by_text);
    for (int i = 1; i < n; i++)
        if (strcasecmp(all[i - 1].text, all[i].text) == 0 &&
            (!found || all[i].line < twins[1].line)) {
            memcpy(twins, &all[i - 1], 2 * sizeof *twins);
            found = 1;
        }
    free(all);
    return found;
}

/* Check that nothing that tells students apart is given to two. Returns 0, or
 * -1 with both lines in err. */
static int check_unique(const struct csv *c, const struct columns *columns,
                        char *err, size_t err_nbytes)
{
    for (int i = 0; i < NTEXTS; i++) {
        struct keyed twins[2];
        if (!texts[i].unique || !find_twins(c, columns->text[i], twins))
            continue;
        char *const first = text_clean(twins[0].text, TEXT_NAME),
                    *const second = text_clean(twins[1].text, TEXT_NAME);
        if (i != 0)
            snprintf(err, err_nbytes,
                     "%d: the %s %s is that of line %d, too: give each student "
                     "another, or leave it empty",
                     twins[1].line, texts[i].column, second, twins[0].line);
        else if (strcmp(first, second) == 0)
            snprintf(err, err_nbytes, "%d: %s is there twice, first in line %d",
                     twins[1].line, second, twins[0].line);
        else
            snprintf(err, err_nbytes,
                     "%d: %s differs from %s in line %d only in upper and "
                     "lower case: if they are two students, give them two "
                     "logins",
                     twins[1].line, second, first, twins[0].line);
        free(first);
        free(second);
        return -1;
    }
    return 0;
}

/* Check that a row has no more fields than the header: a comma within a name,
 * without quotes, would move what follows it to other columns. */
static int check_width(const struct csv *c, int i, char *err, size_t err_nbytes)
{
    const struct csv_row *const row = &c->row[i];
    if (row->nfields <= c->row[0].nfields)
        return 0;
    snprintf(err, err_nbytes,
             "%d: %d fields, but the header has %d columns: put a field that "
             "contains a comma in quotes",
             row->line, row->nfields, c->row[0].nfields);
    return -1;
}

static struct roster *new_roster(int n)
{
    struct roster *const r = calloc(1, sizeof *r);
    if (!r || !(r->student = calloc((size_t)n + 1, sizeof *r->student)))
        abort();
    return r;
}

struct roster *roster_parse(const char *text, size_t nbytes, const char *lab,
                            char *err, size_t err_nbytes)
{
    struct csv c;
    struct roster *r = NULL;
    int failed = 0;
    if (csv_parse(&c, text, nbytes, err, err_nbytes) != 0)
        goto out;
    struct columns columns = {.deadline = deadline_column(&c, lab),
                              .late_days = csv_column(&c, "late_days")};
    for (int i = 0; i < ROSTER_ATTEMPTS; i++)
        columns.submitted[i] = submitted_column(&c, i + 1);
    for (int i = 0; i < NTEXTS; i++)
        columns.text[i] = csv_column(&c, texts[i].column);
    if (columns.text[0] >= 0 && check_columns(&c, err, err_nbytes) != 0)
        goto out;
    if (columns.text[0] < 0) {
        snprintf(err, err_nbytes, "1: the header has no column \"student\"%s",
                 has_semicolons(&c)
                     ? ": its fields are separated by ;, not by ,"
                     : "");
        goto out;
    }
    r = new_roster(c.nrows);
    for (int i = 1; i < c.nrows && !failed; i++) {
        const char *const why = take(&r->student[r->n++], &c.row[i], &columns);
        failed = check_width(&c, i, err, err_nbytes) != 0;
        if (!failed && why)
            snprintf(err, err_nbytes, "%d: %s", c.row[i].line, why);
        failed |= why != NULL;
    }
    failed = failed || check_unique(&c, &columns, err, err_nbytes) != 0;
    if (failed || sort(r)) {
        roster_free(r);
        r = NULL;
    }
out:
    csv_release(&c);
    return r;
}

struct roster *roster_load(const char *path, const char *lab, char *err,
                           size_t err_nbytes)
{
    char why[256];
    FILE *const f = fopen(path, "re");
    char *const text = malloc(MAX_ROSTER);
    if (!text)
        abort();
    const size_t n = f ? fread(text, 1, MAX_ROSTER, f) : 0;
    struct roster *r = NULL;
    if (!f || ferror(f))
        snprintf(err, err_nbytes, "%s: %s", path, strerror(errno));
    else if (n == MAX_ROSTER)
        snprintf(err, err_nbytes, "%s: longer than %d bytes", path, MAX_ROSTER);
    else if (!(r = roster_parse(text, n, lab, why, sizeof why)))
        snprintf(err, err_nbytes, "%s:%s", path, why);
    free(text);
    if (f)
        fclose(f);
    return r;
}

static void clear_student(struct student *s)
{
    for (int k = 0; k < NTEXTS; k++)
        free(*text_of(s, k));
}

void roster_free(struct roster *r)
{
    for (int i = 0; r && i < r->n; i++)
        clear_student(&r->student[i]);
    if (r)
        free(r->student);
    free(r);
}

const struct student *roster_not_utf8(const struct roster *r)
{
    for (int i = 0; i < r->n; i++)
        // text_clean() puts it in place of bytes that aren't UTF-8
        for (int k = 0; k < NTEXTS; k++)
            if (strstr(*text_of(&r->student[i], k), "\xEF\xBF\xBD"))
                return &r->student[i];
    return NULL;
}

const struct student *roster_find_group(const struct roster *r,
                                        const char *group)
{
    for (int i = 0; i < r->n && *group; i++)
        if (strcmp(r->student[i].group, group) == 0)
            return &r->student[i];
    return NULL;
}

int roster_together(const struct student *a, const struct student *b)
{
    return a == b || (a->group[0] && strcmp(a->group, b->group) == 0);
}

struct roster *roster_join(struct roster *a, struct roster *b)
{
    struct roster *const r = new_roster(a->n + b->n);
    for (int i = 0, k = 0; i < a->n || k < b->n;) {
        const int order = i == a->n   ? 1
                          : k == b->n ? -1
                                      : by_key(&a->student[i], &b->student[k]);
        if (order == 0)
            clear_student(&a->student[i++]);
        r->student[r->n++] = order < 0 ? a->student[i++] : b->student[k++];
    }
    a->n = b->n = 0; // r owns their texts now
    roster_free(a);
    roster_free(b);
    return r;
}

const struct student *roster_find(const struct roster *r, const char *key)
{
    const struct student want = {.key = (char *)key};
    return bsearch(&want, r->student, (size_t)r->n, sizeof want, by_key);
}

/* ---- storage in the ledger ----------------------------------------------- */

json_t *roster_json(const struct roster *r)
{
    json_t *const all = json_array();
    for (int i = 0; i < r->n; i++) {
        struct student *const s = &r->student[i];
        json_t *const j = json_object();
        for (int k = 0; k < NTEXTS; k++)
            json_object_set_new(j, texts[k].column,
                                json_string(*text_of(s, k)));
        for (int k = 0; k < ROSTER_ATTEMPTS; k++)
            if (s->submitted[k] != ROSTER_NEVER) {
                char name[32];
                snprintf(name, sizeof name, "submitted@%d", k + 1);
                json_object_set_new(j, name, json_integer(s->submitted[k]));
            }
        json_object_set_new(j, "deadline", json_integer(s->deadline));
        json_object_set_new(j, "late_days", json_integer(s->late_days));
        json_array_append_new(all, j);
    }
    return all;
}

struct roster *roster_from_json(const json_t *all)
{
    size_t i;
    const json_t *j;
    if (!json_is_array(all))
        return NULL;
    struct roster *const r = new_roster((int)json_array_size(all));
    json_array_foreach(all, i, j)
    {
        struct student *const s = &r->student[r->n++];
        for (int k = 0; k < NTEXTS; k++) {
            const char *const text =
                json_string_value(json_object_get(j, texts[k].column));
            *text_of(s, k) = strdup(text ? text : "");
        }
        s->deadline = json_integer_value(json_object_get(j, "deadline"));
        for (int k = 0; k < ROSTER_ATTEMPTS; k++) {
            char name[32];
            snprintf(name, sizeof name, "submitted@%d", k + 1);
            const json_t *const when = json_object_get(j, name);
            s->submitted[k] = when ? json_integer_value(when) : ROSTER_NEVER;
        }
        s->late_days = (int)json_integer_value(json_object_get(j, "late_days"));
    }
    if (!sort(r))
        return r;
    roster_free(r);
    return NULL;
}
