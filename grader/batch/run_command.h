/*
 * run_command.h: the command line with which a batch grades one submission
 */
#ifndef GRADER_RUN_COMMAND_H
#define GRADER_RUN_COMMAND_H

#include <limits.h>
#include <stdint.h>

struct run_command {
    /* Set by the caller, and the same for all submissions of a batch: */
    const char *self, *spool, *lab;
    const char *objects; /* folder for --objects; may be NULL */
    const char *cases;   /* only these, "A,B"; NULL: all */
    int isolation;
    /* The submission's own; set by run_command_make(): */
    char *v[30]; /* ended by NULL; points into the following fields */
    char sub[PATH_MAX], json[PATH_MAX], work[PATH_MAX], seed[32], level[16],
        parent[16], student[128], members[4096];
};

/*
 * Make the command `grade run` (self) for the spool's NAME.sub, whose result
 * becomes NAME.json. NAME is the student's key, @ and the attempt. The file
 * NAME.members lists those who handed in with the student, if there are any.
 * The command ends when the calling process does.
 */
void run_command_make(struct run_command *c, const char *name, uint64_t seed);

/* Write that file into a spool, for "A,B"; "" needs none. Returns -1 with errno
 * on failure. */
int run_command_keep_members(const char *spool, const char *name,
                             const char *members);

#endif
