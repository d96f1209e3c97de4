/*
 * sent.h: what a non-blocking call sends, compared when it is complete
 *
 * From MPI_Isend() on, until a wait or a test finds the request complete, the
 * program must not write the buffer. Operations of streams that do are found by
 * core/stream/lent.h. No call tells of host code that does, so the bytes are
 * copied when the call begins, and compared when the wait or the test returns:
 *
 *     MPI_Isend(p)        p[0] = 1         MPI_Wait
 *            copy ^                               ^ compare
 *
 * Of more than 16 KiB, lines at equal distances are copied: a write that lies
 * between two of them is missed, and so is one that restores what was there.
 *
 * A local variable of a function that has returned counts as changed, since any
 * other call may overwrite it.
 *
 * Only buffers of host memory that this process alone writes are compared, and
 * only types without gaps. Another process may have a good reason to write
 * memory that it shares.
 */
#ifndef SIMGPU_MPI_SENT_H
#define SIMGPU_MPI_SENT_H

#include "mpi/call.h"

struct sent;

/* The call c begins to send nbytes bytes at buf, of type c->type. Returns NULL
 * if they won't be compared. */
struct sent *sent_begin(const struct mpi_call *c, const void *buf,
                        size_t nbytes);

/* The call c has found the request complete. True if bytes have changed before,
 * or if they are local variables of a function that has returned. */
int sent_is_disturbed(struct sent *s, const struct mpi_call *c);

/* Record that sent_is_disturbed() was true. */
void sent_report(const struct sent *s, const struct mpi_call *c);

/* s may be NULL. */
void sent_free(struct sent *s);

#endif
