/*
 * nodes.h: the communicators of hybrid sharding, as hybrid_split() makes them
 */
#ifndef LAB8_NODES_H
#define LAB8_NODES_H

#include <nccl.h>

#include "lab/lab.h"

struct nodes {
    int per_node;   /* ranks of one */
    ncclComm_t own; /* those of this rank's */
    ncclComm_t node,
        replicas; /* what to destroy; NULL: the case has no nodes */
};

/* Split r->comm in nodes of per_node ranks; 0: everything is one node, and own
 * is r->comm. Fails, with a note, on communicators of wrong sizes. Collective,
 * blocks. */
ncclResult_t nodes_open(struct lab_run *r, int per_node, struct nodes *n);
void nodes_close(struct nodes *n);

/* Kind "split": record who is in each communicator. */
ncclResult_t run_split(struct lab_run *r);

#endif
