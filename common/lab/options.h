/*
 * options.h: the command line of every lab
 */
#ifndef COMMLAB_LAB_OPTIONS_H
#define COMMLAB_LAB_OPTIONS_H

#include <stdint.h>

#include "judge/plan.h"

enum {
    OPTIONS_MAX_CASES = 256,
    OPTIONS_DEFAULT_SEED = 1,
    OPTIONS_DEFAULT_ITERATIONS = 2,
};

struct lab_options {
    char *cases[OPTIONS_MAX_CASES]; /* names; if there are none, all cases
                                       run */
    int ncases;
    uint64_t seed;
    uint64_t key; /* a grading's, for its inputs (judge_key_seed()) */
    int has_key;
    int iterations, warmup;
    const char *json; /* file to write, "-" for stdout, NULL for none */
    int list, help;
    int questions; /* print the questions with the student's numbers */
    int hidden;    /* also run the hidden cases, if their plan is present */
    int times;     /* run only timed cases, and print times for the plan */
};

/*
 * Parse the command line. Returns 0, or -1 with the reason in err. Changes
 * argv; the options hold pointers into it.
 */
int options_parse(struct lab_options *o, int argc, char **argv, char *err,
                  size_t err_nbytes);

/* Check that all names are cases of the plan. Returns as options_parse(). */
int options_check(const struct lab_options *o, const struct plan *p, char *err,
                  size_t err_nbytes);

/* True if this case is to be run. */
int options_want(const struct lab_options *o, const char *name);

#endif
