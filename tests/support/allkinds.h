/*
 * allkinds.h: a run with a bit of everything that a graph can have, on two
 * nodes with a network between them
 */
#ifndef COMMLAB_TESTS_ALLKINDS_H
#define COMMLAB_TESTS_ALLKINDS_H

#include "synthetic.h"

enum { ALLKINDS_RANKS = 3 };

/* The machine it is for. */
#define ALLKINDS_MACHINE "2x-dgx-h100"

/* Record it, as a run of ALLKINDS_RANKS. */
void allkinds_record(struct synthetic *s);

#endif
