#define _GNU_SOURCE
#include "judge/answers.h"

#include <ctype.h>    /* isspace, isalpha */
#include <fcntl.h>    /* open */
#include <math.h>     /* log */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* strtod */
#include <string.h>   /* strchrnul */
#include <sys/stat.h> /* fstat */
#include <unistd.h>   /* read */

enum { MOST = 64 << 10 }; /* bytes of answers.txt that are read */

char *answers_load(const char *path)
{
    struct stat st;
    char *text = NULL;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        text = malloc(MOST + 1);
    const ssize_t n = text ? read(fd, text, MOST) : -1;
    close(fd);
    if (text)
        text[n > 0 ? n : 0] = 0;
    return text;
}

/* ---- reading ------------------------------------------------------------- */

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* The start of the number, if the line answers the question. */
static const char *answer_in(const char *line, const char *name)
{
    const size_t length = strlen(name);
    line = skip_blanks(line);
    if (strncmp(line, name, length) != 0)
        return NULL;
    line = skip_blanks(line + length);
    return *line == '=' ? skip_blanks(line + 1) : NULL;
}

/* A number, with a unit, a comment or nothing after it. */
static int take_number(const char *at, double *number)
{
    char *end;
    *number = strtod(at, &end);
    const char *const after = skip_blanks(end);
    const int fine = !*after || *after == '\n' || *after == '\r' ||
                     *after == '#' || (after > end && isalpha(*after));
    return end != at && fine && isfinite(*number) ? 0 : -1;
}

int answers_find(const char *text, const char *name, double *number, char *err,
                 size_t err_nbytes)
{
    int found = 0, line = 1;
    const char *answer = NULL;
    for (const char *at = text; *at; line++) {
        const char *const here = answer_in(at, name);
        if (here && answer) {
            snprintf(err, err_nbytes, "answers.txt:%d: %s is answered twice",
                     line, name);
            return -1;
        }
        if (here) {
            answer = here;
            found = line;
        }
        at = strchrnul(at, '\n');
        at += *at == '\n';
    }
    if (!answer) {
        snprintf(err, err_nbytes, "answers.txt has no line \"%s = ...\"", name);
        return -1;
    }
    const int length = (int)strcspn(answer, "#\r\n");
    if (length == 0)
        return 1;
    if (take_number(answer, number) == 0)
        return 0;
    snprintf(err, err_nbytes,
             "answers.txt:%d: %s: \"%.*s\" is not a number (write 4.18, or "
             "1.5e6)",
             found, name, length > 40 ? 40 : length, answer);
    return -1;
}

/* ---- judging ------------------------------------------------------------- */

/* The position of a number on a grid with steps as wide as the tolerance. */
static int64_t place_of(double number, double tolerance)
{
    if (tolerance == 0)
        return llround(number);
    return number == 0 ? INT64_MIN
                       : llround(log(fabs(number)) / log1p(tolerance));
}

static uint64_t digest_of(const char *name, int negative, int64_t place)
{
    return judge_seed(judge_case_seed((uint64_t)negative, name),
                      (uint64_t)place);
}

uint64_t answers_digest(const char *name, double number, double tolerance)
{
    return digest_of(name, number < 0, place_of(number, tolerance));
}

static int is_right(const struct judge_answer *a, const struct judge_task *t,
                    double number)
{
    if (a->tolerance == 0 && number != round(number))
        return 0;
    const uint64_t digest =
        a->value ? answers_digest(a->name, a->value(t), a->tolerance)
                 : a->digest;
    const int64_t place = place_of(number, a->tolerance);
    const int reach = a->tolerance > 0 && number != 0;
    for (int off = -reach; off <= reach; off++)
        if (digest_of(a->name, number < 0, place + off) == digest)
            return 1;
    return 0;
}

void answers_judge(const struct judge_answer *table, const struct judge_task *t,
                   struct judge_verdict *v)
{
    char err[200];
    double number = 0;
    const char *const name = plan_text(t->c, "question", "");
    const struct judge_answer *a = table;
    while (a && a->name && strcmp(a->name, name) != 0)
        a++;
    if (!a || !a->name) {
        judge_fail(v, "the plan asks for \"%s\", which this lab does not have",
                   name);
        return;
    }
    if (!t->answers) {
        judge_fail(v, "there is no answers.txt next to your code");
        return;
    }
    const int found = answers_find(t->answers, name, &number, err, sizeof err);
    if (found > 0) {
        v->not_implemented = 1;
        judge_fail(v, "not answered: %s in answers.txt", name);
    } else if (found < 0) {
        judge_fail(v, "%s", err);
    } else if (!is_right(a, t, number)) {
        judge_fail(v, "%s = %g is wrong", name, number);
    }
}
