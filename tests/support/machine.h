/*
 * machine.h: the machines that are shipped, of 8 GPUs a node
 */
#ifndef COMMLAB_TESTS_MACHINE_H
#define COMMLAB_TESTS_MACHINE_H

#include "topo/topo.h"

struct machine {
    const char *name;
    int ncables; /* that `sick:SEED:NAME` may degrade */
};

extern const struct machine machines_shipped[]; /* in alphabetical order */
extern const int nmachines_shipped;

/* topo_load(); a test fails, with its message, where it doesn't load. */
struct topo *machine_load(const char *name);

#endif
