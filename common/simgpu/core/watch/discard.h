/*
 * discard.h: whether the caller's code discards a call's result
 */
#ifndef SIMGPU_CORE_WATCH_DISCARD_H
#define SIMGPU_CORE_WATCH_DISCARD_H

/*
 * True if the code at a call's return address overwrites the result, by another
 * call's result for example, before it can have read it. Only straight-line
 * code is followed, from a function's end into its caller if the call is still
 * on the stack, and only instructions that compilers put after a call are
 * recognised. Anything else counts as a use, so 0 does not mean that the
 * program uses the result.
 */
int discard_is_certain(const void *return_address);

#endif
