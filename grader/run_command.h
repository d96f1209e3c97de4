/*
 * run_command.h: the command line with which a batch grades one submission
 */
#ifndef GRADER_RUN_COMMAND_H
#define GRADER_RUN_COMMAND_H

#include <limits.h>
#include <stdint.h>

struct run_command {
    /* of the batch, by the caller */
    const char *self, *spool, *lab;
    const char *objects; /* folder for --objects, or NULL */
    const char *cases;   /* only these, "A,B"; NULL: all */
    int isolation;
    /* of the submission */
    char *v[28]; /* ended by NULL; into what follows */
    char sub[PATH_MAX], json[PATH_MAX], work[PATH_MAX], seed[32], level[16],
        parent[16], student[128];
};

/*
 * `grade run` (self) of the spool's NAME.sub, whose result becomes NAME.json;
 * NAME is the student's key, @ and the attempt. It ends when the process that
 * calls this does.
 */
void run_command_make(struct run_command *c, const char *name, uint64_t seed);

#endif
