/*
 * sandbox_args.h: bubblewrap's command line for a sandbox
 */
#ifndef GRADER_SANDBOX_ARGS_H
#define GRADER_SANDBOX_ARGS_H

#include <glob.h>
#include <sys/types.h> /* uid_t */

#include "sandbox.h"

struct args {
    const char *v[SANDBOX_MAX_ARGS];
    char *owned[SANDBOX_MAX_ARGS]; /* to free */
    int n, nowned;
    uid_t user; /* whom it is run by, if the grader is root */
};

/* The files in /dev of this machine's GPUs, in found->gl_pathv; returns how
 * many. The caller is to globfree(found). */
enum { GPU_FILES = 24 }; /* at most */
int gpu_files(glob_t *found);

/*
 * The command as it is to be executed: argv behind a shell that writes a byte
 * to the file descriptor ARGS_READY when it can start it (the shell takes
 * descriptors of one digit only); at level 2 and above
 * behind bubblewrap, which takes its seccomp filter from the descriptor calls.
 */
enum { ARGS_READY = 9 };
void args_make(struct args *a, const struct sandbox *s, const char *const *argv,
               int calls);
void args_release(struct args *a);

/* A user who has no account on this machine, and a different one for each
 * grader that runs at the same time: nothing else belongs to that user. */
uid_t args_user(pid_t grader);

#endif
