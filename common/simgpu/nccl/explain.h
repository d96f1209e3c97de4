/*
 * explain.h: what NCCL_DEBUG=INFO tells of communicators and calls
 *
 * Channels, rings, algorithms and protocols are those of the modelled machine,
 * which replay takes for times.
 */
#ifndef SIMGPU_NCCL_EXPLAIN_H
#define SIMGPU_NCCL_EXPLAIN_H

#include "nccl/group.h"

/* A GPU's bus id as NCCL writes it: 0000:1b:00.0 is 0x1b000. */
unsigned long long explain_bus_id(int place);

/* A communicator begins to be made, and is (parent: of a split). */
void explain_init_start(const struct ncclComm *c, const char *call);
void explain_init_complete(const struct ncclComm *c,
                           const struct ncclComm *parent, const char *call,
                           int color, int key);

/* An enqueued call: its arguments (COLL), its algorithm (TUNING). */
void explain_call(const struct call *c);

/* NCCL_ALGO and NCCL_PROTO are lists of names that NCCL knows. */
ncclResult_t explain_check_settings(void);

/* They leave an algorithm that can do this call. */
ncclResult_t explain_check_choice(const struct call *c);

#endif
