/*
 * sandbox_args.h: bubblewrap's command line for a sandbox
 */
#ifndef GRADER_SANDBOX_ARGS_H
#define GRADER_SANDBOX_ARGS_H

#include <glob.h>
#include <sys/types.h> /* uid_t */

#include "grader/sandbox/sandbox.h"

struct args {
    const char *v[SANDBOX_MAX_ARGS];
    char *owned[SANDBOX_MAX_ARGS]; /* to be freed */
    int n, nowned;
    uid_t user; /* user who runs it if the grader is root */
};

/* Find the files in /dev of this machine's GPUs, in found->gl_pathv. Returns
 * their number. The caller calls globfree(found). */
enum { GPU_FILES = 24 }; /* at most */
int gpu_files(glob_t *found);

/*
 * The complete command line: argv preceded by a shell that writes a byte to the
 * file descriptor ARGS_READY when it can start argv (the shell only takes
 * descriptors of one digit), and from level 2 on preceded by bubblewrap, which
 * reads its seccomp filter from the descriptor `calls`.
 */
enum { ARGS_READY = 9 };
void args_make(struct args *a, const struct sandbox *s, const char *const *argv,
               int calls);
void args_release(struct args *a);

/*
 * What the command itself limits the number of its processes by, where this
 * user may make no control group; NULL if it can't. At level 2 that is a "user
 * namespace": since Linux 5.14 each counts its own processes against
 * RLIMIT_NPROC, so a limit set inside bubblewrap's holds for this sandbox
 * alone. Older kernels count all processes of the user. Where root grades, the
 * command has a "user" of its own, for whom every kernel counts.
 */
const char *args_limit_processes(const struct sandbox *s);

/* A user without an account on this machine, who owns nothing else: a different
 * user for each grader that runs at the same time. */
uid_t args_user(pid_t grader);

#endif
