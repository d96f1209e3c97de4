/*
 * confine.h: what a process gives up before it runs a student's program
 *
 * All functions are called in a child between fork and exec. Each returns 0, or
 * -1 with errno set.
 */
#ifndef GRADER_CONFINE_H
#define GRADER_CONFINE_H

#include <sys/types.h>

/* Limit core files and open files, and lower the priority. */
void confine_rlimits(void);

/*
 * From now on, files can be read only below `readable` and changed only below
 * `writable` (lists ended by NULL; folders that don't exist are skipped). This
 * uses Landlock, which needs no privilege, and Linux 5.13. Implies
 * no_new_privs.
 */
int confine_files(const char *const *readable, const char *const *writable);

/*
 * A seccomp filter that refuses calls that no lab needs and in which kernels
 * had bugs: namespaces, mounts, tracing, keys, bpf, modules, io_uring; and
 * sockets, except local ones and TCP, which mpirun uses. keeps_modes also
 * refuses calls that change a file's mode, since a recorder's pipe must not be
 * opened a second time (base/recorder.h). The filter applies to this process,
 * or is returned as a program in a file descriptor for bubblewrap (-1 on
 * failure).
 */
int confine_calls(int keeps_modes);
int confine_calls_fd(int keeps_modes);

/* Become another user, who owns no files, without a way back. Needs root. */
int confine_user(uid_t uid);

#endif
