#define _GNU_SOURCE
#include "expected.h"

#include <errno.h>  /* errno */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strsep */

#include "whole.h"

/* Read "22", an optional " ranks 2", and an optional " skipped: why". */
static int take_rule(struct expected *e, const char *text)
{
    int n = 0, more = 0;
    if (e->nrules == EXPECTED_RULES)
        return -1;
    struct expected_rule *const r = &e->rule[e->nrules++];
    r->nranks = 1;
    if (sscanf(text, "%7[0-9]%n", r->number, &n) != 1)
        return -1;
    if (sscanf(text + n, " ranks %d%n", &r->nranks, &more) == 1)
        n += more;
    r->skipped = strncmp(text + n, " skipped: ", 10) == 0;
    return r->skipped || !text[n] ? 0 : -1;
}

static int take_line(struct expected *e, char *text, int at)
{
    if (!text[0] || text[0] == '#')
        return 0;
    if (strncmp(text, "rule ", 5) == 0)
        return take_rule(e, text + 5);
    if (e->nrules == 0) // only this may precede the first rule
        return sscanf(text, "gpus %d", &e->ngpus) == 1 ? 0 : -1;
    struct expected_rule *const r = &e->rule[e->nrules - 1];
    if (r->skipped || r->nlines == EXPECTED_LINES)
        return -1;
    r->line[r->nlines].at = at;
    r->line[r->nlines++].text = text;
    return 0;
}

int expected_load(struct expected *e, const char *path, char *err,
                  size_t err_nbytes)
{
    *e = (struct expected){.path = path, .data = whole_file(path)};
    if (!e->data) {
        snprintf(err, err_nbytes, "%s: %s", path, strerror(errno));
        return -1;
    }
    char *rest = e->data;
    int at = 1;
    for (char *text; (text = strsep(&rest, "\n")) != NULL; at++)
        if (take_line(e, text, at) != 0) {
            snprintf(err, err_nbytes,
                     "%s:%d: \"%s\" is not of the format that "
                     "tests/support/expected.h tells",
                     path, at, text);
            expected_release(e);
            return -1;
        }
    if (e->nrules > 0)
        return 0;
    snprintf(err, err_nbytes, "%s: there is no rule in it", path);
    expected_release(e);
    return -1;
}

void expected_release(struct expected *e)
{
    free(e->data);
    e->data = NULL;
}

int expected_compare(const struct expected *e, const struct expected_rule *rule,
                     const char *printed, char *err, size_t err_nbytes)
{
    const char *at = printed;
    for (int i = 0; !rule->skipped && (i < rule->nlines || *at); i++) {
        const int n = (int)strcspn(at, "\n");
        const char *const want = i < rule->nlines ? rule->line[i].text : NULL;
        if (!want)
            snprintf(err, err_nbytes,
                     "rule %s, line %d: printed is \"%.*s\", in %s the rule "
                     "ends before",
                     rule->number, i + 1, n, at, e->path);
        else if ((int)strlen(want) != n || strncmp(want, at, (size_t)n) != 0)
            snprintf(err, err_nbytes,
                     "rule %s, line %d: printed is \"%.*s\", %s:%d says "
                     "\"%s\"",
                     rule->number, i + 1, n, at, e->path, rule->line[i].at,
                     want);
        else {
            at += n + (at[n] == '\n');
            continue;
        }
        return -1;
    }
    return 0;
}
