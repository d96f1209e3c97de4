/*
 * model.h: what the modelled machine says of communication
 *
 * For libnccl, which has no machine of its own: NCCL's choice of algorithm and
 * protocol, its rings, and the time that a group of operations would take.
 */
#ifndef SIMGPU_CORE_MODEL_H
#define SIMGPU_CORE_MODEL_H

#include "core/proc.h"

/* The name of the variable (NCCL_ALGO, NCCL_PROTO) whose value is no list of
 * what NCCL knows; NULL if there is none. */
const char *model_bad_setting(void);

struct model_choice {
    const char *algo, *proto; /* "RING", "SIMPLE" */
    double us;                /* alone on the machine */
};

/*
 * What NCCL would choose for a collective over the places of its ranks, bytes
 * as nccl-tests counts. -1 with a line in err: nothing that is allowed can do
 * it.
 */
int model_choice(enum graph_op op, const int32_t *place, int n, uint64_t bytes,
                 struct model_choice *out, char *err, size_t err_nbytes);

struct model_op { /* a collective, or a message with its two ends */
    uint64_t key; /* never 0; operations of one key are one operation */
    enum graph_op op;
    const int32_t *place; /* of its ranks; sender, receiver */
    int nplaces;
    uint64_t bytes;
};

/* How long the operations take when all of them begin together, by a replay of
 * just them. -1 with a line in err. */
int model_estimate(const struct model_op *ops, int n, uint64_t *ps, char *err,
                   size_t err_nbytes);

/* topo_channels() and topo_ring() of this run's machine. */
int model_channels(const int32_t *place, int n);
void model_ring(const int32_t *place, int n, int channel, int *rank);

/* A GPU's bus id, "0000:1b:00.0"; into out. */
void model_bus_id(int32_t place, char *out, size_t nbytes);

#endif
