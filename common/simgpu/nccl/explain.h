/*
 * explain.h: what NCCL_DEBUG=INFO prints about communicators and calls
 *
 * Channels, rings, algorithms and protocols are those of the modelled machine,
 * from which replay gets its times.
 */
#ifndef SIMGPU_NCCL_EXPLAIN_H
#define SIMGPU_NCCL_EXPLAIN_H

#include "nccl/call.h"

/* Print a line before and after a communicator is created. parent is that of a
 * split, else NULL. */
void explain_init_start(const struct ncclComm *c, const char *call);
void explain_init_complete(const struct ncclComm *c,
                           const struct ncclComm *parent, const char *call,
                           int color, int key);

/* The communicator's number of channels on the modelled machine, within the
 * limits of its configuration. */
int explain_channels(const struct ncclComm *c);

/* Find what the modelled machine chooses for a collective. Returns -1 and puts
 * a line into err if no algorithm is possible. */
struct model_choice;
int explain_choice(const struct nccl_call *c, struct model_choice *out,
                   char *err, size_t err_nbytes);

/* Print an enqueued call: its arguments (COLL), and its algorithm (TUNING). */
void explain_call(const struct nccl_call *c);

/* Check that NCCL would accept NCCL_ALGO and NCCL_PROTO. */
ncclResult_t explain_check_settings(void);

/* Check that these two variables leave an algorithm for this call. */
ncclResult_t explain_check_choice(const struct nccl_call *c);

#endif
