/*
 * allkinds.h: a run with one of everything that a graph can contain, on two
 * nodes connected by a network
 */
#ifndef COMMLAB_TESTS_ALLKINDS_H
#define COMMLAB_TESTS_ALLKINDS_H

#include "synthetic.h"

enum { ALLKINDS_RANKS = 3 };

/* The machine that the run is for. */
#define ALLKINDS_MACHINE "2x-dgx-h100"

/* Record the run, which has ALLKINDS_RANKS ranks. */
void allkinds_record(struct synthetic *s);

#endif
