/*
 * search_channel.h: the search for channels at one rate (private to
 * common/topo)
 *
 * A channel takes its rate from the links of a path for each of its hops. The
 * search extends a channel GPU by GPU, then searches for the next one, and goes
 * back where links have too little left, until it has tried everything or has
 * used up its steps.
 */
#ifndef COMMLAB_TOPO_NCCL_SEARCH_CHANNEL_H
#define COMMLAB_TOPO_NCCL_SEARCH_CHANNEL_H

#include "topo/nccl/search.h"

struct search_graph { /* the channels so far, and what they may use */
    struct search_found f;
    int cross; /* 2: channels may enter and leave by different NICs */
    int least, most, nhops;
    int16_t gpu[SYSTEM_CHANNELS][SYSTEM_GPUS]; /* in order */
    int16_t net[SYSTEM_CHANNELS][2];           /* ends: in and out */
};

enum search_order {
    ANY,
    BY_FILE,
    AS_BEFORE
}; /* the order in which a channel visits GPUs */

struct search {
    struct system *s;
    struct search_graph now, best;
    int steps;                  /* left; -1: no better solution exists */
    int net_step, first_step;   /* GPUs after which a channel returns */
    uint64_t used[SYSTEM_GPUS]; /* by channels, bit by bit */
    int nnets[SYSTEM_DIS][SYSTEM_GPUS + 1]; /* nets to try; -1: not listed */
    int failed;                             /* memory ran out */
    int16_t *nets[SYSTEM_DIS][SYSTEM_GPUS + 1];
};

/* Search for the next channel and all after it; `best` gets the best set of
 * channels, if that is better than the one that it has. */
void search_channel(struct search *x);

#endif
