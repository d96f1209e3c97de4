/*
 * machine.h: the machines that are shipped
 */
#ifndef COMMLAB_TESTS_MACHINE_H
#define COMMLAB_TESTS_MACHINE_H

#include "topo/topo.h"

enum { MACHINES = 6 };
extern const char *const machine_names[MACHINES]; /* in alphabetical order */

/* topo_load(); a test fails, with its message, where it doesn't load. */
struct topo *machine_load(const char *name);

#endif
