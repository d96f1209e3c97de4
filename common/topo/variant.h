/*
 * variant.h: a machine that differs from another by a seed (private to
 * common/topo)
 *
 *     [4x:][sick:SEED:][shuffled:SEED:]NAME
 *
 *   shuffled   the same GPUs and links, but the GPUs are numbered in another
 *              order. Bus ids stay in ascending order, so that nothing but a
 *              measurement tells which GPU is which.
 *   sick       one cable, both ways, has only part of its rate: that between
 *              two GPUs; or where there are NVSwitches, or no NVLinks, the one
 *              between a GPU and its switches, or its PCIe slot.
 *
 * A SEED is a word of letters, digits and "._@-": the same word gives the same
 * machine everywhere. The word "me" stands for topo_me().
 */
#ifndef COMMLAB_TOPO_VARIANT_H
#define COMMLAB_TOPO_VARIANT_H

#include "topo/machine.h"

enum { VARIANT_WORD = TOPO_ME };

struct variant {
    int nodes;                   /* 0: as the file says */
    char sick[VARIANT_WORD];     /* seeds, "" for none */
    char shuffled[VARIANT_WORD]; /* "me" has been replaced */
    const char *name;            /* what is left: points into the text */
};

/* Take a name apart. 0, or -1 with a line in err. */
int variant_parse(const char *text, struct variant *v, char *err,
                  size_t err_nbytes);

/* Put it together again, with seeds that mean the same to everybody. */
void variant_name(const struct variant *v, char *out, size_t nbytes);

/* Between reading a machine's parts and machine_build(); and after that. */
void variant_shuffle(const struct variant *v, struct topo *t);
void variant_sicken(const struct variant *v, struct topo *t);

#endif
