/*
 * discard.h: whether a call's result is thrown away, by the caller's code
 */
#ifndef SIMGPU_CORE_DISCARD_H
#define SIMGPU_CORE_DISCARD_H

/*
 * True if the code that a call returns to overwrites the result, by another
 * call's for example, before anything can have read it. It follows straight
 * code only, and knows the instructions that compilers write after a call;
 * anything else counts as a use: 0 does not mean that the program looks at the
 * result.
 */
int discard_is_certain(const void *return_address);

#endif
