/*
 * widest.h: loops with wider vectors on processors that have them
 *
 * WIDEST in front of a function compiles it twice; its first call chooses one.
 * Both give the same results, to the bit: the compiler contracts nothing, and
 * does not vectorise a loop if that would change the order of a sum.
 */
#ifndef COMMLAB_BASE_WIDEST_H
#define COMMLAB_BASE_WIDEST_H

#if defined(__x86_64__)
#define WIDEST __attribute__((target_clones("avx2", "default")))
#else
#define WIDEST
#endif

#endif
