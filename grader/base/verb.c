#include "grader/base/verb.h"

#include <getopt.h> /* getopt_long */
#include <stdarg.h> /* va_list */
#include <stdint.h> /* uint64_t */
#include <stdio.h>  /* fprintf */
#include <stdlib.h> /* strtod */
#include <string.h> /* strcmp */

#include "grader/base/text.h"

int verb_wrong(const char *verb, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "grade %s: ", verb);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return EXIT_USAGE;
}

/* ---- the help ------------------------------------------------------------ */

enum { HELP_COLUMN = 20 };

/* Print "-j, --jobs N", and the lines of help next to it. */
static void print_option(const struct verb_option *o)
{
    char title[64];
    int n = snprintf(title, sizeof title, "  ");
    if (o->letter)
        n += snprintf(title + n, sizeof title - (size_t)n, "-%c, ", o->letter);
    snprintf(title + n, sizeof title - (size_t)n, "--%s%s%s", o->name,
             o->value ? " " : "", o->value ? o->value : "");
    printf("%-*s", HELP_COLUMN, title);
    if (strlen(title) >= HELP_COLUMN)
        printf("\n%*s", HELP_COLUMN, "");
    for (const char *line = o->help; *line;) {
        const size_t nbytes = strcspn(line, "\n");
        printf("%.*s\n", (int)nbytes, line);
        line += nbytes + (line[nbytes] == '\n');
        printf("%*s", *line ? HELP_COLUMN : 0, "");
    }
}

static int print_help(const struct verb *v)
{
    printf("usage: grade %s", v->name);
    for (const struct verb_option *o = v->options; o->name; o++)
        if (o->required)
            printf(" --%s %s", o->name, o->value);
    printf(" [options]%s%s%s\n\n%s\n\n", v->operand ? " " : "",
           v->operand ? v->operand : "", v->many ? "..." : "", v->intro);
    for (const struct verb_option *o = v->options; o->name; o++)
        if (o->help)
            print_option(o);
    printf("  --help            this text\n");
    if (v->outro)
        printf("\n%s\n", v->outro);
    return EXIT_FULL;
}

/* ---- values -------------------------------------------------------------- */

/* Report a word that isn't allowed, with "a", "a or b", "a, b or c". */
static int wrong_word(const struct verb *v, const struct verb_option *o,
                      const char *text)
{
    char all[256] = "";
    size_t n = 0;
    for (int i = 0; o->words[i] && n < sizeof all; i++)
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%s",
                              i == 0            ? ""
                              : o->words[i + 1] ? ", "
                                                : " or ",
                              o->words[i]);
    verb_wrong(v->name, "--%s is %s, not %s", o->name, all, text);
    return -1;
}

/* Index of text among the option's words, or -1. */
static int find_word(const struct verb_option *o, const char *text)
{
    for (int i = 0; o->words[i]; i++)
        if (strcmp(o->words[i], text) == 0)
            return i;
    return -1;
}

static int take_number(const struct verb *v, const struct verb_option *o,
                       const char *text, int *to)
{
    if (text_number(text, o->least, o->most, to) == 0)
        return 0;
    verb_wrong(v->name, "--%s is a whole number from %d to %d, not %s", o->name,
               o->least, o->most, text);
    return -1;
}

static int take_seed(const struct verb *v, const struct verb_option *o,
                     const char *text, uint64_t *to)
{
    char *end;
    *to = strtoull(text, &end, 0);
    if (end != text && !*end)
        return 0;
    verb_wrong(v->name, "--%s %s is not a number", o->name, text);
    return -1;
}

static int take_percent(const struct verb *v, const struct verb_option *o,
                        const char *text, double *to)
{
    char *end;
    *to = strtod(text, &end);
    if (end != text && !*end && *to >= 0 && *to <= 100)
        return 0;
    verb_wrong(v->name, "--%s is a number from 0 to 100, not %s", o->name,
               text);
    return -1;
}

/* Store an option's value. Returns -1 after printing what is wrong with it. */
static int take(const struct verb *v, const struct verb_option *o,
                const char *text, void *options)
{
    void *const to = (char *)options + o->at;
    const int word = o->words ? find_word(o, text) : 0;
    if (word < 0)
        return wrong_word(v, o, text);
    switch (o->kind) {
    case VERB_FLAG: *(int *)to = 1; return 0;
    case VERB_TEXT: *(const char **)to = text; return 0;
    case VERB_WORD: *(int *)to = word; return 0;
    case VERB_NUMBER: return take_number(v, o, text, to);
    case VERB_SEED: return take_seed(v, o, text, to);
    case VERB_PERCENT: return take_percent(v, o, text, to);
    }
    return -1;
}

/* ---- command lines ------------------------------------------------------- */

enum { MAX_OPTIONS = 32, HELP = MAX_OPTIONS };

/* Make getopt's tables of the verb's options; an option is
 * identified by its index. */
static void list_options(const struct verb *v, struct option *list,
                         char *letters)
{
    int i = 0;
    *letters++ = ':'; // the grader itself reports a missing value
    for (const struct verb_option *o = v->options; o->name; o++, i++) {
        if (i == MAX_OPTIONS)
            abort(); // a bug of the grader's
        list[i] = (struct option){o->name, o->value != NULL, NULL, i};
        if (o->letter)
            *letters++ = o->letter;
        if (o->letter && o->value)
            *letters++ = ':';
    }
    list[i] = (struct option){"help", 0, NULL, HELP};
    list[i + 1] = (struct option){NULL, 0, NULL, 0};
    *letters = 0;
}

static const struct verb_option *find_option(const struct verb *v, int k)
{
    int i = 0;
    for (const struct verb_option *o = v->options; o->name; o++, i++)
        if (k == i || (o->letter && k == o->letter))
            return o;
    return NULL;
}

/* True if nothing required is missing and there are no further arguments. */
static int is_complete(const struct verb *v, const void *options, int noperands)
{
    for (const struct verb_option *o = v->options; o->name; o++)
        if (o->required &&
            !*(const char *const *)((const char *)options + o->at)) {
            verb_wrong(v->name, "--%s is missing", o->name);
            return 0;
        }
    if (noperands > (v->operand ? 1 : 0) && !v->many)
        verb_wrong(v->name, "%s only", v->operand ? "one operand" : "options");
    else if (v->operand && noperands == 0)
        verb_wrong(v->name, "%s is missing", v->operand);
    else
        return 1;
    return 0;
}

int verb_parse(const struct verb *v, int argc, char **argv, void *options,
               int *status)
{
    struct option list[MAX_OPTIONS + 2];
    char letters[2 * MAX_OPTIONS + 2];
    list_options(v, list, letters);
    *status = EXIT_USAGE;
    opterr = 0;
    for (int k; (k = getopt_long(argc, argv, letters, list, NULL)) != -1;) {
        if (k == HELP) {
            *status = print_help(v);
            return -1;
        }
        const struct verb_option *const o = find_option(v, k);
        if (!o) {
            verb_wrong(v->name, "%s %s (--help lists the options)",
                       argv[optind - 1],
                       k == ':' ? "needs a value" : "is no option");
            return -1;
        }
        if (take(v, o, optarg, options) != 0)
            return -1;
    }
    return is_complete(v, options, argc - optind) ? optind : -1;
}
