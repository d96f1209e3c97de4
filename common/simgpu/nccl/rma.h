/*
 * rma.h: one-sided messages: puts into windows, signals, waits for signals
 *
 * A put copies into the peer's window and then signals; a signal only signals.
 * A signal has a *kind*, which is its context and index, and a number: signals
 * of one kind from one rank to another are numbered in the order of calls. A
 * wait for n signals waits for the next n numbers and is ordered after the
 * operations that sent them. The graph is therefore the same in every run, even
 * if signals from several streams overtake each other.
 */
#ifndef SIMGPU_NCCL_RMA_H
#define SIMGPU_NCCL_RMA_H

#include "nccl/message.h"

/* On the worker: copy and signal, or wait. Return -1 if the communicator is
 * lost. */
int rma_put(struct nccl_op *o);
int rma_wait(struct nccl_op *o);

/* Fill in the rest of a node that has its local access. */
void rma_fill_node(struct nccl_op *o, struct graph_access *access,
                   struct graph_move *move);

#endif
