/*
 * show.h: the runs that lab 0's handout has students look at: build/lab0 --show
 */
#ifndef LAB0_SHOW_H
#define LAB0_SHOW_H

#include "lab/lab.h"

/* --show WHAT. Returns the exit status: 2 for an unknown WHAT. */
int show_run(struct lab_run *r, int argc, char **argv);

#endif
