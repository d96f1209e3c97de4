/*
 * dual.h: DualPipe, a pipeline that is fed from both ends. Given: nothing to
 * edit here.
 *
 * Every rank has two stages: rank r of n holds stage r for the micro-batches of
 * direction 0, which enter at rank 0, and stage n - 1 - r for those of
 * direction 1, which enter at the last rank. When both directions are under
 * way, a rank runs the forward pass of one together with the backward pass of
 * the other, so that each pass's messages travel while the other computes.
 *
 * The order is that of DeepSeek's dualpipe.py, github.com/deepseek-ai/DualPipe.
 */
#ifndef LAB4_DUAL_H
#define LAB4_DUAL_H

#include "lab4.h"

enum { DUAL_DIRECTIONS = 2 };

struct dual_turn { /* what a rank runs without interruption */
    int forward;   /* direction of its forward pass; -1: none */
    int backward;  /* direction of its backward pass; -1: none */
    int defers;    /* the backward pass leaves out the weights' gradients */
    int weights;   /* only the gradients that a turn before has left out */
};

/* The most turns of a rank. */
enum { DUAL_MAX_TURNS = 3 * STAGE_MAX_MICRO };

/*
 * Write the turns of a rank to out, in order, and return their number. nranks
 * is even; nmicro, half of it in each direction, is even and at least 2 *
 * nranks. Not collective.
 */
int dual_list(int nranks, int rank, int nmicro, struct dual_turn *out);

#endif
