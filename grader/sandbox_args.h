/*
 * sandbox_args.h: bubblewrap's command line for a sandbox
 */
#ifndef GRADER_SANDBOX_ARGS_H
#define GRADER_SANDBOX_ARGS_H

#include "sandbox.h"

struct args {
    const char *v[SANDBOX_MAX_ARGS];
    char *owned[SANDBOX_MAX_ARGS]; /* to free */
    int n, nowned;
};

/* The files in /dev of this machine's GPUs; how many. */
enum { GPU_FILES = 24 };
int gpu_files(const char *out[GPU_FILES]);

/*
 * The command as it is to be executed: argv behind a shell that writes a byte
 * to the file descriptor `ready` when it can start it; at level 2 and above
 * behind bubblewrap, which takes its seccomp filter from the descriptor calls.
 */
void args_make(struct args *a, const struct sandbox *s, const char *const *argv,
               int ready, int calls);
void args_release(struct args *a);

#endif
