/*
 * groups.h: control groups, which limit memory and processes
 *
 * Version 1 has a hierarchy for each controller, version 2 one for all, in
 * which an ordinary user may have groups, too (delegated.h). A group is named
 * after the keeper (keeper.h) of the process that enters it. If this user may
 * not make a group, or a controller is missing, the caller is told which limit
 * is not in force.
 */
#ifndef GRADER_GROUPS_H
#define GRADER_GROUPS_H

#include <stddef.h>
#include <sys/types.h>

enum { GROUPS_MEMORY_MIB = 6144, GROUPS_PROCESSES = 512 };

/* Find where groups can be made, which may move this process to another group.
 * Further calls do nothing. */
void groups_prepare(void);

/* True if groups are made by an ordinary user, or below a group that this
 * process was given, not by root for the whole machine. */
int groups_are_delegated(void);

/*
 * Put the calling process into groups of its own, with this much memory (0: the
 * usual limit). Limits that couldn't be set are written to missing: "memory,
 * processes", or "".
 */
void groups_enter(pid_t name, int memory_mib, char *missing, size_t nbytes);

/* Remove "processes" from missing: another limit on them was set. */
void groups_forget_processes(char *missing);

/*
 * Whether the kernel killed a process of keeper pid's group because memory ran
 * out, and which memory: the group's, up to its limit, or the whole machine's.
 */
enum groups_memory { GROUPS_ENOUGH, GROUPS_LIMIT, GROUPS_MACHINE };
enum groups_memory groups_memory(pid_t pid);

/* How often the kernel refused the group another process or thread. */
long groups_refused(pid_t pid);

/* Kill the remaining processes in pid's groups, and remove the groups. */
void groups_remove(pid_t pid);

#endif
