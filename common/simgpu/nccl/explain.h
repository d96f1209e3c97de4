/*
 * explain.h: what NCCL_DEBUG=INFO prints about communicators and calls
 *
 * Channels, rings, algorithms and protocols are those of the modelled machine,
 * from which replay gets its times.
 */
#ifndef SIMGPU_NCCL_EXPLAIN_H
#define SIMGPU_NCCL_EXPLAIN_H

#include "nccl/call.h"

/* Before and after a communicator is created (parent: of a split). */
void explain_init_start(const struct ncclComm *c, const char *call);
void explain_init_complete(const struct ncclComm *c,
                           const struct ncclComm *parent, const char *call,
                           int color, int key);

/* The number of its channels on the modelled machine, as configured. */
int explain_channels(const struct ncclComm *c);

/* What the modelled machine chooses for a collective. -1 with a line in err. */
struct model_choice;
int explain_choice(const struct call *c, struct model_choice *out, char *err,
                   size_t err_nbytes);

/* An enqueued call: its arguments (COLL), its algorithm (TUNING). */
void explain_call(const struct call *c);

/* Check that NCCL_ALGO and NCCL_PROTO are lists of names that NCCL knows. */
ncclResult_t explain_check_settings(void);

/* Check that they leave an algorithm for this call. */
ncclResult_t explain_check_choice(const struct call *c);

#endif
