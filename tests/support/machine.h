/*
 * machine.h: the machines that are shipped, with 8 GPUs per node
 */
#ifndef COMMLAB_TESTS_MACHINE_H
#define COMMLAB_TESTS_MACHINE_H

#include "topo/topo.h"

struct machine {
    const char *name;
    int ncables; /* cables that `sick:SEED:NAME` may degrade */
};

extern const struct machine machines_shipped[]; /* in alphabetical order */
extern const int nmachines_shipped;

/* Load a machine. If it doesn't load, the test fails with
 * topo_load()'s message. */
struct topo *machine_load(const char *name);

#endif
