/*
 * hang.h: the chain of waits that explains a hang
 *
 * A wait is a host thread in a call, or a stream's worker in an operation. Each
 * process lists its waits on its control page (struct control_wait). What could
 * end a wait follows from these lists and from the execution graphs of all
 * ranks:
 *
 *     host thread  -> the operation that it synchronises with
 *     operation    -> the one that its stream is still busy with, or a
 *                     dependence
 *                  -> the ranks missing from its match: their main threads,
 *                     which should have made the call, or the operation that is
 *                     ahead of their part in its stream
 *
 * Followed from one wait to the next, the chain ends in a cycle, at a rank that
 * has ended, or where the graph has no further information.
 */
#ifndef SIMGPU_CORE_WATCH_HANG_H
#define SIMGPU_CORE_WATCH_HANG_H

#include <stddef.h>

/*
 * Write the chain of waits that explains the hang to out, a line for each wait,
 * and return its length; 0 if it is unknown. The waits on all control pages
 * must be up to date.
 */
size_t hang_explain(char *out, size_t nbytes);

#endif
