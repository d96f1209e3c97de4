/*
 * last_call.h: what a rank did last before it ended early
 *
 * A killed rank can't report anything, but the recorder has its execution
 * graph up to the end. Call sites are addresses there: a rank looks up their
 * lines when it ends well. Here addr2line does, in the sandbox, because the
 * program's author could have made its line table.
 */
#ifndef GRADER_LAST_CALL_H
#define GRADER_LAST_CALL_H

#include "grader/sandbox/sandbox.h"

/*
 * Write "\nIts last call was ncclAllReduce at ring.c:40." for a rank of a run
 * in sandbox s whose records are in dir, or "" if it ended well or recorded
 * nothing. program: its path in the sandbox. Calls that record no operation,
 * such as cudaMalloc, are not found.
 */
void last_call_text(const char *dir, int rank, int nranks,
                    const struct sandbox *s, const char *program, char *out,
                    size_t nbytes);

#endif
