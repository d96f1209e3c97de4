/*
 * open_group.h: groups that the program has begun and not ended
 *
 * The outermost ncclGroupEnd launches what a group contains. If it is missing,
 * nothing is launched: each call has returned ncclSuccess, streams have nothing
 * to wait for, and the other ranks may wait forever. So a process that ends in
 * a group reports it, and so does one that hangs.
 */
#ifndef SIMGPU_NCCL_OPEN_GROUP_H
#define SIMGPU_NCCL_OPEN_GROUP_H

#include <stdint.h>

/* Note that the calling thread's outermost group begins at this site, or that
 * it ends. */
void open_group_begin(uint32_t site);
void open_group_end(void);

/* Note how many calls the thread's group will launch, and the first of them. n
 * is 0 if the group is to launch nothing. Has no effect outside a group that
 * the program has begun. */
void open_group_holds(int n, const char *first, uint32_t site);

/* Report that the thread's group loses calls because `call`, at this site,
 * destroys their communicator. */
void open_group_report_dropped(const char *call, uint32_t site);

#endif
