/*
 * model.h: the modelled machine, as NCCL sees it
 *
 * It serves libnccl, which has no machine of its own: NCCL's choice of
 * algorithm and protocol, its rings, and the time that a group of operations
 * would take.
 */
#ifndef SIMGPU_CORE_CLOCK_MODEL_H
#define SIMGPU_CORE_CLOCK_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "graph/record/record.h"

struct topo_sets; /* topo/topo.h */

/* Read NCCL_ALGO and NCCL_PROTO; what they allow is of no interest to libnccl,
 * which passes NULL. Returns 0, or -1 with a line in err if NCCL
 * would not accept one of them. */
int simgpu_model_sets(struct topo_sets *algos, struct topo_sets *protos,
                      char *err, size_t err_nbytes);

/* Print on standard error, once, which of NCCL's variables have no effect. */
void simgpu_model_remarks(void);

struct model_choice {
    const char *algo, *proto; /* "RING", "SIMPLE" */
    double us;                /* on an otherwise idle machine */
};

/*
 * Find NCCL's choice for a collective over the places of its ranks. bytes is
 * counted as in nccl-tests. Returns -1, with a line in err, if no allowed
 * algorithm supports the collective.
 */
int simgpu_model_choice(enum topo_op op, const int32_t *place, int n,
                        uint64_t bytes, struct model_choice *out, char *err,
                        size_t err_nbytes);

struct model_op { /* a collective, or a message with its two ends */
    uint64_t key; /* never 0; operations with the same key are one operation */
    enum topo_op op;
    const int32_t *place; /* its ranks' places; sender, receiver */
    int nplaces;
    uint64_t bytes;
};

/* The time that the operations take when all of them start together, by
 * replaying just them. Returns -1 with a line in err. */
int simgpu_model_estimate(const struct model_op *ops, int n, uint64_t *ps,
                          char *err, size_t err_nbytes);

/* topo_channels() and topo_ring() for this run's machine. */
int simgpu_model_channels(const int32_t *place, int n);
void simgpu_model_ring(const int32_t *place, int n, int channel, int *rank);

/* The number of nodes that contain these GPUs. */
int simgpu_model_nodes(const int32_t *place, int n);

/* How kernels of these GPUs reach each other's memory. */
enum model_reach {
    MODEL_NONE,     /* over the network */
    MODEL_LOADS,    /* by loads and stores */
    MODEL_MULTICAST /* as LOADS, and by multicasts and reductions in their
                       switch */
};
enum model_reach simgpu_model_reach(int32_t a, int32_t b);

/* Write a GPU's bus ID, such as "0000:1b:00.0", to out. */
void simgpu_model_bus_id(int32_t place, char *out, size_t nbytes);

#endif
