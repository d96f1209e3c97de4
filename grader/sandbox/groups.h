/*
 * groups.h: control groups, which limit memory and processes
 *
 * Version 1 has a hierarchy for each controller, version 2 one for all. A group
 * is named after the keeper (keeper.h) of the process that enters it. Where
 * this user may not make one, or a controller isn't there, it is said which
 * limit is missing.
 */
#ifndef GRADER_GROUPS_H
#define GRADER_GROUPS_H

#include <stddef.h>
#include <sys/types.h>

enum { GROUPS_MEMORY_MIB = 6144, GROUPS_PROCESSES = 512 };

/* The calling process enters groups of its own, with so much memory (0: the
 * usual limit). What couldn't be limited is written into missing, "memory,
 * processes", or "". */
void groups_enter(pid_t name, int memory_mib, char *missing, size_t nbytes);

/* Has a process of keeper pid's group been killed for want of memory, and if
 * so, whose was it: the group's, which had reached its limit, or the whole
 * machine's? */
enum groups_memory { GROUPS_ENOUGH, GROUPS_LIMIT, GROUPS_MACHINE };
enum groups_memory groups_memory(pid_t pid);

/* Kill what is left in pid's groups, and remove them. */
void groups_remove(pid_t pid);

#endif
