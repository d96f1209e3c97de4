#include "lab/options.h"

#include <errno.h>  /* errno */
#include <getopt.h> /* getopt_long */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* strtoull */
#include <string.h> /* strtok_r */

enum { MAX_ITERATIONS = 64 };

static const struct option known[] = {
    {"list", 0, NULL, 'l'},   {"case", 1, NULL, 'c'},
    {"seed", 1, NULL, 's'},   {"iterations", 1, NULL, 'i'},
    {"warmup", 1, NULL, 'w'}, {"json", 2, NULL, 'j'},
    {"hidden", 0, NULL, 'H'}, {"times", 0, NULL, 't'},
    {"help", 0, NULL, 'h'},   {"questions", 0, NULL, 'q'},
    {"key", 1, NULL, 'k'},    {NULL, 0, NULL, 0}};

/* Read an integer without a sign; -1 if the text isn't one. */
static int number(const char *text, uint64_t most, uint64_t *v)
{
    char *end;
    errno = 0;
    *v = strtoull(text, &end, 0);
    const int fine = text[0] >= '0' && text[0] <= '9' && !*end && !errno;
    return fine && *v <= most ? 0 : -1;
}

/* Read names separated by commas; -1 if there are too many. */
static int take_cases(struct lab_options *o, char *names)
{
    char *rest;
    for (char *name = strtok_r(names, ",", &rest); name;
         name = strtok_r(NULL, ",", &rest)) {
        if (o->ncases == OPTIONS_MAX_CASES)
            return -1;
        o->cases[o->ncases++] = name;
    }
    return 0;
}

/* Handle option k with its value. Returns 0, or -1 if the value is invalid. */
static int take(struct lab_options *o, int k, char *value)
{
    uint64_t v = 0;
    int err = 0;
    switch (k) {
    case 'l': o->list = 1; break;
    case 'h': o->help = 1; break;
    case 'H': o->hidden = 1; break;
    case 't': o->times = 1; break;
    case 'q': o->questions = 1; break;
    case 'j': o->json = value ? value : "-"; break;
    case 'c': err = take_cases(o, value); break;
    case 's': err = number(value, UINT64_MAX, &o->seed); break;
    case 'k':
        err = number(value, UINT64_MAX, &o->key);
        o->has_key = 1;
        break;
    case 'i':
        err = number(value, MAX_ITERATIONS, &v);
        o->iterations = (int)v;
        return err || v == 0 ? -1 : 0;
    case 'w':
        err = number(value, MAX_ITERATIONS, &v);
        o->warmup = (int)v;
        break;
    }
    return err;
}

int options_parse(struct lab_options *o, int argc, char **argv, char *err,
                  size_t err_nbytes)
{
    *o = (struct lab_options){.seed = OPTIONS_DEFAULT_SEED,
                              .iterations = OPTIONS_DEFAULT_ITERATIONS};
    opterr = 0;
    optind = 1;
    for (int k, which = 0;
         (k = getopt_long(argc, argv, ":", known, &which)) != -1;) {
        if (k == '?' || k == ':') {
            snprintf(err, err_nbytes, "%s %s", argv[optind - 1],
                     k == ':' ? "needs a value" : "is not an option");
            return -1;
        }
        // accept "--json FILE" as well as "--json=FILE"
        if (k == 'j' && !optarg && optind < argc &&
            (argv[optind][0] != '-' || !argv[optind][1]))
            optarg = argv[optind++];
        if (take(o, k, optarg) != 0) {
            snprintf(err, err_nbytes, "--%s %s: not a valid number",
                     known[which].name, optarg);
            return -1;
        }
    }
    if (optind == argc)
        return 0;
    snprintf(err, err_nbytes, "\"%s\" is not an option (a case: --case %s)",
             argv[optind], argv[optind]);
    return -1;
}

int options_check(const struct lab_options *o, const struct plan *p, char *err,
                  size_t err_nbytes)
{
    char near[200];
    for (int i = 0; i < o->ncases; i++) {
        if (plan_find(p, o->cases[i]))
            continue;
        plan_near(p, o->cases[i], near, sizeof near);
        snprintf(err, err_nbytes, "there is no case \"%.80s\": %s%s%s",
                 o->cases[i], near[0] ? "did you mean " : "see --list", near,
                 near[0] ? "?" : "");
        return -1;
    }
    return 0;
}

int options_want(const struct lab_options *o, const char *name)
{
    for (int i = 0; i < o->ncases; i++)
        if (strcmp(o->cases[i], name) == 0)
            return 1;
    return o->ncases == 0;
}
