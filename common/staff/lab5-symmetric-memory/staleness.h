/*
 * staleness.h: lab 5's --late. Given: nothing to edit here.
 */
#ifndef LAB5_STALENESS_H
#define LAB5_STALENESS_H

#include "lab/lab.h"

/*
 * --late [--rows N] [--lr-percent N] [-o FILE.svg]: train a small network with
 * gradients that are 0, 1, 2, 4 and 8 steps late; print the time of a step and
 * the loss, and plot loss by time. All ranks call. Returns an exit status.
 */
int staleness_main(struct lab_run *r, int argc, char **argv);

#endif
