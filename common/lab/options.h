/*
 * options.h: the command line of every lab
 */
#ifndef COMMLAB_LAB_OPTIONS_H
#define COMMLAB_LAB_OPTIONS_H

#include <stdint.h>

#include "judge/plan.h"

enum { OPTIONS_MAX_CASES = 256, OPTIONS_DEFAULT_SEED = 1 };

struct options {
    char *cases[OPTIONS_MAX_CASES]; /* names; none: all */
    int ncases;
    uint64_t seed;
    int iterations, warmup;
    const char *json; /* file to write, "-" for stdout, NULL for none */
    int list, help;
    int questions; /* print the questions, with the student's numbers */
    int hidden;    /* also run the hidden cases, if their plan is here */
    int times; /* run only timed cases, and print their times for the plan */
};

/*
 * Parse the command line. 0, or -1 with the reason in err. The options hold
 * pointers into argv, which is changed.
 */
int options_parse(struct options *o, int argc, char **argv, char *err,
                  size_t err_nbytes);

/* Check that all names are cases of the plan. Returns as options_parse(). */
int options_check(const struct options *o, const struct plan *p, char *err,
                  size_t err_nbytes);

/* True if this case is to be run. */
int options_want(const struct options *o, const char *name);

#endif
