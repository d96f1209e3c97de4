/*
 * widest.h: loops for wider vectors, where the processor has them
 *
 * WIDEST in front of a function compiles it twice, and its first call chooses.
 * The results are the same, to the bit: nothing is contracted, and a loop
 * whose sums would change order is not vectorised.
 */
#ifndef COMMLAB_BASE_WIDEST_H
#define COMMLAB_BASE_WIDEST_H

#if defined(__x86_64__)
#define WIDEST __attribute__((target_clones("avx2", "default")))
#else
#define WIDEST
#endif

#endif
