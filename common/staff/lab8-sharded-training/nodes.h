/*
 * nodes.h: the communicators of hybrid sharding, as hybrid_split() makes them
 */
#ifndef LAB8_NODES_H
#define LAB8_NODES_H

#include <nccl.h>

#include "lab/lab.h"

struct nodes {
    int per_node;              /* ranks per node */
    ncclComm_t own;            /* the ranks of this rank's node */
    ncclComm_t node, replicas; /* NULL: the case has no nodes */
};

/* Split r->comm into nodes of per_node ranks; if that is 0, all ranks are one
 * node and own is r->comm. Fails, with a note, if a communicator has the wrong
 * size. Collective, blocks. */
ncclResult_t nodes_open(struct lab_run *r, int per_node, struct nodes *n);
void nodes_close(struct nodes *n);

/* Kind "split": record the ranks of each communicator. */
ncclResult_t run_split(struct lab_run *r);

#endif
