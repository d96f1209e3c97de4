/*
 * variant.h: shuffled and degraded machines (private to common/topo)
 *
 *     [4x:][sick:SEED:][shuffled:SEED:]NAME[@NETWORK][,OPTION...]
 *
 *   shuffled   the same GPUs and links, but the GPUs are numbered in another
 *              order. Bus ids stay in ascending order, so only measurements can
 *              tell the GPUs apart.
 *   sick       one cable has only part of its rate, in both directions: one
 *              between two GPUs; with NVSwitches, one between a GPU and its
 *              switches; without NVLinks, one between a GPU and its PCIe slot.
 *
 *   @NETWORK   the profile of the network between nodes (FORMAT.md), by its
 *              name or the path of a file ending in .xml. Options, also without
 *              a profile (NAME@OPTION):
 *              fat-tree:R, rail:R  switches with oversubscription R (fabric.h)
 *              seed:SEED           seed of the hash that places flows on them
 *              floor:US            the time that no collective goes below
 *              one-thread          one thread drives all GPUs of a node, as in
 *                                  nccl-tests with -g (tuning.h)
 *              no-nic:K            every node lacks NIC K: GPUs next to it use
 *                                  another (NCCL_IB_HCA=^NAME)
 *              slow-nic:K          NIC K of the first node has a quarter of the
 *                                  rate that it reports, in both directions
 *
 * A SEED consists of letters, digits and "._@-". The same seed gives the same
 * machine everywhere. The seed "me" stands for topo_me().
 */
#ifndef COMMLAB_TOPO_VARIANT_H
#define COMMLAB_TOPO_VARIANT_H

#include "topo/machine.h"

enum { VARIANT_WORD = TOPO_ME };

struct variant {
    int nodes;                   /* 0: as in the file */
    char sick[VARIANT_WORD];     /* its seed; "" if it is not sick */
    char shuffled[VARIANT_WORD]; /* its seed with "me" replaced; "" if
                                    not shuffled */
    char name[4200];             /* name or file of the node */
    char net[4200];              /* name or file of the network; "" for
                                    none */
    const char *suffix;          /* "@..." in the text, or "" */
    int fabric;                  /* enum calibration_fabric_kind; -1: none */
    double over, floor_us;       /* 0: not given */
    int one_thread;
    int no_nic, slow_nic;    /* numbers of NICs; -1: none */
    char seed[VARIANT_WORD]; /* seed of the fabric */
};

/* Parse a name. Returns 0, or -1 with a line in err. */
int variant_parse(const char *text, struct variant *v, char *err,
                  size_t err_nbytes);

/* Write a name that means the same for every user. */
void variant_name(const struct variant *v, char *out, size_t nbytes);

/* Shuffle before machine_build(), which needs the parts, and degrade after it.
 * A slow NIC is a degraded cable, too. */
void variant_shuffle(const struct variant *v, struct topo *t);
void variant_sicken(const struct variant *v, struct topo *t);

/* Apply the network's options, before machine_build(). Returns 0, or -1 with a
 * line in err if the machine has no such NIC. */
int variant_connect(const struct variant *v, struct topo *t, char *err,
                    size_t err_nbytes);

#endif
