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

/* The start of the number if the line answers this question, else NULL. */
static const char *answer_in(const char *line, const char *name)
{
    const size_t length = strlen(name);
    line = skip_blanks(line);
    if (strncmp(line, name, length) != 0)
        return NULL;
    line = skip_blanks(line + length);
    return *line == '=' ? skip_blanks(line + 1) : NULL;
}

const char *answers_after(const char *text, const char *name)
{
    const char *found = NULL;
    for (const char *at = text; *at && !found; at += *at == '\n') {
        found = answer_in(at, name);
        at = strchrnul(at, '\n');
    }
    return found;
}

/* The start of the line before the one that starts at `line`. */
static const char *line_before(const char *text, const char *line)
{
    const char *at = line - 1;
    while (at > text && at[-1] != '\n')
        at--;
    return at;
}

char *answers_question(const char *text, const char *name)
{
    const char *end = answers_after(text, name), *begin;
    char *const question = calloc(strlen(text) + 1, 1);
    if (!question)
        abort();
    while (end && end > text && end[-1] != '\n')
        end--;
    begin = end;
    while (begin && begin > text && *line_before(text, begin) == '#')
        begin = line_before(text, begin);
    char *to = question;
    for (const char *at = begin; at && at < end; at++) {
        at += strspn(at, "# ");
        const size_t length = strcspn(at, "\n") + 1;
        memcpy(to, at, length);
        to += length;
        at += length - 1;
    }
    return question;
}

/* The number of the line that contains `at`, from 1. */
static int line_of(const char *text, const char *at)
{
    int line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

/* Read a number that may be followed by a unit or a comment. */
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
    const char *const answer = answers_after(text, name);
    if (!answer) {
        snprintf(err, err_nbytes, "answers.txt has no line \"%s = ...\"", name);
        return -1;
    }
    const char *const again = answers_after(strchrnul(answer, '\n'), name);
    if (again) {
        snprintf(err, err_nbytes, "answers.txt:%d: %s is answered twice",
                 line_of(text, again), name);
        return -1;
    }
    const int length = (int)strcspn(answer, "#\r\n");
    if (length == 0)
        return 1;
    if (take_number(answer, number) == 0)
        return 0;
    snprintf(err, err_nbytes,
             "answers.txt:%d: %s: \"%.*s\" is not a number: after the \"=\" "
             "write digits, with a point if needed, then a unit or nothing",
             line_of(text, answer), name, length > 40 ? 40 : length, answer);
    return -1;
}

/* ---- judging ------------------------------------------------------------- */

static const double SLACK = 1e-9; /* relative; covers the rounding of decimals
                                     to doubles */

static int is_close(const struct plan_case *c, double number, double right)
{
    return fabs(number - right) <= (plan_tolerance(c) + SLACK) * fabs(right);
}

static int is_right(const struct plan_case *c, double number)
{
    int right = is_close(c, number, c->right);
    for (int i = 0; i < c->nalso; i++)
        right |= is_close(c, number, c->also[i]);
    return right;
}

void answers_judge(const struct judge_task *t, struct judge_verdict *v)
{
    char err[200];
    double number = 0;
    const char *const name = plan_text(t->c, "question", "");
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
    } else if (plan_tolerance(t->c) == 0 && number != round(number)) {
        judge_fail(v, "%s = %g: a whole number is asked for", name, number);
    } else if (!t->c->answer) {
        v->answered = 1;
    } else if (!is_right(t->c, number)) {
        v->graders_only = 1; // students' plans don't have the right answers
        judge_fail(v, "%s = %g is wrong", name, number);
    }
}
