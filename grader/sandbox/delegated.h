/*
 * delegated.h: where this process may make control groups of version 2
 *
 * In version 2, a user may limit processes below a group that belongs to the
 * user. systemd gives such groups to a user's own services and scopes
 * (systemd-run --user --scope, Delegate=yes), container engines and some
 * configurations of Slurm to their jobs. A group either has processes or passes
 * controllers on to groups below it. Therefore the processes of the user's
 * group, the grader among them, are first moved to a group of their own below
 * it, "commlab-rest".
 */
#ifndef GRADER_DELEGATED_H
#define GRADER_DELEGATED_H

#include <stddef.h>

enum { DELEGATED_PATH = 4096 }; /* bytes that a group's path may take */

/*
 * Write to path the folder in which groups can be made that limit memory and
 * processes: the hierarchy's root, if this process may write there, else the
 * process's own group or one above it. Returns 0, or -1 if there is none.
 */
int delegated_find(char *path, size_t nbytes);

#endif
