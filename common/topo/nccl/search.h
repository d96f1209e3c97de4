/*
 * search.h: the channels that NCCL finds (private to common/topo)
 *
 * NCCL looks for as many channels as the links of a node carry at some rate
 * from a list: rings, trees (chains of a node's GPUs), or, at an NVSwitch, one
 * channel for each GPU that reduces (NVLS). It tries high rates first, and
 * takes what moves the most; then it splits channels that are fast, and tries
 * higher rates once more. Trees get as many channels as rings. How many
 * channels there are, at which rates, and over paths of which types is all that
 * its tuner knows of a machine (tuner.h).
 *
 * This follows NCCL 2.28.9, src/graph/search.cc, with its limits on steps: a
 * search that gives up early there gives up here.
 */
#ifndef COMMLAB_TOPO_NCCL_SEARCH_H
#define COMMLAB_TOPO_NCCL_SEARCH_H

#include "topo/nccl/system.h"

enum search_pattern {                      /* as NCCL numbers them */
                      SEARCH_BALANCED = 1, /* a tree with two GPUs at its NIC */
                      SEARCH_TREE = 3,
                      SEARCH_RING = 4,
                      SEARCH_NVLS = 5
};

struct search_found { /* rates of a channel in thousandths of a GB/s */
    enum search_pattern pattern;
    int channels; /* 0: none */
    int intra, inter;
    int type_intra, type_inter; /* enum system_type: the farthest path */
    int same;                   /* all channels have the same order */
    double latency;             /* its NICs' latency in us */
};

struct search_results {
    struct search_found ring, tree, nvls;
};

/*
 * Search on a node. Returns 0, or -1 if memory runs out. The system's links are
 * as before afterwards.
 */
int search_all(struct system *s, struct search_results *out);

#endif
