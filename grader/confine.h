/*
 * confine.h: what a process gives up before it becomes a student's
 *
 * All of these are for a child between fork and exec. Each returns 0, or -1
 * with errno set.
 */
#ifndef GRADER_CONFINE_H
#define GRADER_CONFINE_H

#include <sys/types.h>

/* No core files, not too many open ones, nice to the others. */
void confine_rlimits(void);

/*
 * From here on files can be read below `readable` and changed below `writable`
 * only (lists ended by NULL; those that don't exist are skipped). Landlock: it
 * needs no privilege, and Linux 5.13. Implies no_new_privs.
 */
int confine_files(const char *const *readable, const char *const *writable);

/*
 * A seccomp filter that refuses what no lab needs and what kernels had bugs in:
 * namespaces, mounts, tracing, keys, bpf, modules, io_uring; and sockets but
 * local ones and TCP, which mpirun talks over. With keeps_modes, also those
 * that change a file's mode: a recorder's pipe must not be opened again
 * (base/recorder.h). Either for this process, or as a program in a file
 * descriptor for bubblewrap (returned; -1 on failure).
 */
int confine_calls(int keeps_modes);
int confine_calls_fd(int keeps_modes);

/* Become another user, who owns nothing, without a way back. Needs root. */
int confine_user(uid_t uid);

#endif
