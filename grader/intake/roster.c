#define _GNU_SOURCE
#include "roster.h"

#include <errno.h>   /* errno */
#include <stdio.h>   /* fopen */
#include <stdlib.h>  /* calloc */
#include <string.h>  /* strcmp */
#include <strings.h> /* strcasecmp */
#include <time.h>    /* timegm */
#include <unistd.h>  /* access */

#include "base/near.h"
#include "csv.h"
#include "text.h"

enum { MAX_ROSTER = 64 << 20, DAY = 86400, MAX_LATE_DAYS = 1000 };

/* The texts of a student: column, and place in the struct. */
static const struct {
    const char *column;
    size_t offset;
} texts[] = {{"student", offsetof(struct student, key)},
             {"name", offsetof(struct student, name)},
             {"email", offsetof(struct student, email)},
             {"section", offsetof(struct student, section)},
             {"id", offsetof(struct student, id)},
             {"sis_id", offsetof(struct student, sis_id)},
             {"github", offsetof(struct student, github)},
             {"group", offsetof(struct student, group)}};
enum { NTEXTS = sizeof texts / sizeof *texts };

static char **text_of(struct student *s, int i)
{
    return (char **)((char *)s + texts[i].offset);
}

/* ---- times --------------------------------------------------------------- */

/* "Z" is UTC, "+01:00" and "-0530" are seconds to take away. */
static int zone(const char *text, int *seconds)
{
    int h, m, used = 0;
    *seconds = 0;
    if (strcmp(text, "Z") == 0)
        return 0;
    if ((sscanf(text + 1, "%2d:%2d%n", &h, &m, &used) < 2 &&
         sscanf(text + 1, "%2d%2d%n", &h, &m, &used) < 2) ||
        text[1 + used] || h < 0 || h > 14 || m < 0 || m > 59 ||
        (*text != '+' && *text != '-'))
        return -1;
    *seconds = (h * 60 + m) * 60 * (*text == '+' ? 1 : -1);
    return 0;
}

int roster_timezone(const char *name)
{
    char path[256];
    if (!name || !*name)
        name = "UTC";
    const int n = snprintf(path, sizeof path, "/usr/share/zoneinfo/%s", name);
    if (strstr(name, "..") || n >= (int)sizeof path ||
        (strcmp(name, "UTC") != 0 && access(path, R_OK) != 0))
        return -1;
    setenv("TZ", name, 1);
    tzset();
    return 0;
}

/* strptime() takes 30 February for what it is not. */
static int is_day(const struct tm *tm)
{
    struct tm copy = *tm;
    timegm(&copy);
    return copy.tm_mday == tm->tm_mday && copy.tm_mon == tm->tm_mon;
}

/* A time of the course's. Of an hour that comes twice, `pass` says which one
 * (-1: the first, 1: the second). */
static int64_t local_time(const struct tm *tm, int pass)
{
    enum { HOUR = 3600 };
    struct tm copy = *tm, other;
    const time_t t = mktime(&copy), twin = t + pass * HOUR;
    localtime_r(&twin, &other);
    return (int64_t)(other.tm_hour == copy.tm_hour &&
                             other.tm_min == copy.tm_min
                         ? twin
                         : t);
}

static int read_time(const char *text, int pass, int64_t *t)
{
    struct tm tm = {.tm_hour = 23, .tm_min = 59, .tm_sec = 59, .tm_isdst = -1};
    int offset = 0;
    const char *rest = strptime(text, "%Y-%m-%d", &tm);
    if (!rest || !is_day(&tm))
        return -1;
    if (*rest == 'T' || *rest == ' ') {
        tm.tm_sec = 0;
        const char *const minutes = strptime(rest + 1, "%H:%M", &tm);
        if (!minutes)
            return -1;
        rest = *minutes == ':' ? strptime(minutes, ":%S", &tm) : minutes;
    }
    if (!rest || (*rest && zone(rest, &offset) != 0))
        return -1;
    *t = *rest ? (int64_t)timegm(&tm) - offset : local_time(&tm, pass);
    return 0;
}

int roster_time(const char *text, int64_t *t)
{
    return read_time(text, -1, t);
}

int roster_deadline(const char *text, int64_t *t)
{
    return read_time(text, 1, t);
}

int64_t roster_submitted(const struct student *s, int attempt)
{
    return attempt >= 1 && attempt <= ROSTER_ATTEMPTS
               ? s->submitted[attempt - 1]
               : ROSTER_NEVER;
}

int roster_days_between(int64_t deadline, int64_t t, int late_days)
{
    if (deadline == ROSTER_NEVER || t <= deadline) // also never
        return 0;
    const int64_t days = (t - deadline + DAY - 1) / DAY - late_days;
    return days < 0 ? 0 : days > MAX_LATE_DAYS ? MAX_LATE_DAYS : (int)days;
}

int roster_days_late(const struct student *s, int64_t t)
{
    return roster_days_between(s->deadline, t, s->late_days);
}

/* ---- reading ------------------------------------------------------------- */

struct columns {
    int text[NTEXTS], deadline, submitted[ROSTER_ATTEMPTS], late_days;
};

/* deadline:lab2 before deadline. */
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

/* True if the roster's reader knows what a column of this name holds. */
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

/* The known column whose name is nearest; NULL if none is near. */
static const char *nearest(const char *name)
{
    const char *best = NULL;
    int least = 4;
    static const char *const others[] = {"deadline", "submitted", "late_days"};
    for (int i = 0; i < NTEXTS + 3; i++) {
        const char *const have =
            i < NTEXTS ? texts[i].column : others[i - NTEXTS];
        const int d = near_distance(name, have);
        if (d < least && d < (int)strlen(have)) {
            least = d;
            best = have;
        }
    }
    return best;
}

/* 0, or -1 with the first column that nobody would read. */
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

/* By one of these two functions; nothing is never. */
static int take_time(const char *text, int64_t *t,
                     int (*read)(const char *text, int64_t *t))
{
    *t = ROSTER_NEVER;
    return *text ? read(text, t) : 0;
}

/* NULL, or what is wrong with the row. */
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
    if (*end || n < 0 || n > MAX_LATE_DAYS)
        return "late_days is a number of days";
    s->late_days = (int)n;
    return NULL;
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct student *)a)->key,
                  ((const struct student *)b)->key);
}

/* Sort; two of one name, in any case, would share a folder somewhere. */
static const struct student *sort(struct roster *r)
{
    qsort(r->student, (size_t)r->n, sizeof *r->student, by_key);
    for (int i = 1; i < r->n; i++)
        if (strcmp(r->student[i - 1].key, r->student[i].key) == 0)
            return &r->student[i];
    return NULL;
}

/* As some spreadsheets save a file where numbers have a decimal comma. */
static int has_semicolons(const struct csv *c)
{
    return c->nrows > 0 && strchr(csv_field(&c->row[0], 0), ';') != NULL;
}

/* Where the student is in the file for the last time. */
static int last_line(const struct csv *c, int column, const char *key)
{
    int i = c->nrows - 1;
    while (i > 0 && strcmp(csv_field(&c->row[i], column), key) != 0)
        i--;
    return c->row[i].line;
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
    const char *why = NULL;
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
    for (int i = 1; i < c.nrows && !why; i++) {
        why = take(&r->student[r->n++], &c.row[i], &columns);
        if (why)
            snprintf(err, err_nbytes, "%d: %s", c.row[i].line, why);
    }
    const struct student *const twice = why ? NULL : sort(r);
    if (twice)
        snprintf(err, err_nbytes, "%d: %s is there twice",
                 last_line(&c, columns.text[0], twice->key), twice->key);
    if (why || twice) {
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
        for (int k = 0; k < NTEXTS; k++) // what text_clean() puts for bytes
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
    a->n = b->n = 0; // their texts are r's now
    roster_free(a);
    roster_free(b);
    return r;
}

const struct student *roster_find(const struct roster *r, const char *key)
{
    const struct student want = {.key = (char *)key};
    return bsearch(&want, r->student, (size_t)r->n, sizeof want, by_key);
}

/* ---- in the ledger ------------------------------------------------------- */

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
