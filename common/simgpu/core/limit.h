/*
 * limit.h: which limit of the system made a call fail
 *
 * Hundreds of ranks on one host meet limits that a single process never sees:
 * mappings, threads, open files, address space. A message about a call that
 * failed ends with what this file finds: the limit, its value, and the setting
 * that raises it.
 */
#ifndef SIMGPU_CORE_LIMIT_H
#define SIMGPU_CORE_LIMIT_H

#include <stddef.h>

enum { LIMIT_HINT = 256 };

/*
 * Why a call failed with this errno: ".\nulimit -n allows 64 open files: ...",
 * or "" if no limit explains it. Looks at this process's limits and at how much
 * of them it uses. Leaves errno as it is, for %m. Returns out.
 */
const char *simgpu_limit_hint(int err, char *out, size_t nbytes);

#endif
