/*
 * watch.h: who waits for whom, when nothing moves any more
 *
 * A wait is a host thread in a call, or a stream's worker in an operation. Each
 * process shows its waits in its control page (struct page_wait); what they are
 * for follows from them and the execution graphs of all ranks:
 *
 *     host thread  -> the operation that it synchronises with
 *     operation    -> the one that its stream is still busy with, or a dependence
 *                  -> the ranks that have not come to its match: their main
 *                     threads, which should have called it, or the operation that
 *                     keeps their part from its turn
 *
 * Followed from one wait to the next, that ends in a cycle, at a rank that has
 * ended, or where the graph doesn't know more.
 */
#ifndef SIMGPU_CORE_WATCH_H
#define SIMGPU_CORE_WATCH_H

#include <stddef.h>

/*
 * Write the chain of waits that explains the hang to out, a line for each, and
 * return its length; "" when it can't be told. The waits of all pages must be up to
 * date.
 */
size_t watch_explain(char *out, size_t nbytes);

#endif
