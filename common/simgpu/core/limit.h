/*
 * limit.h: which system limit made a call fail
 *
 * Hundreds of ranks on one host reach limits that a single process never does:
 * mappings, threads, open files, address space. A message about a failed call
 * ends with what this file finds: the limit, its value, and the setting that
 * raises it.
 */
#ifndef SIMGPU_CORE_LIMIT_H
#define SIMGPU_CORE_LIMIT_H

#include <stddef.h>

enum { LIMIT_HINT = 256 };

/*
 * Explain why a call failed with this errno: ".\nulimit -n allows 64 open
 * files: ...", or "" if no limit explains it. Compares this process's limits
 * with how much of them it uses. Does not change errno, for %m. Returns out.
 */
const char *simgpu_limit_hint(int err, char *out, size_t nbytes);

#endif
