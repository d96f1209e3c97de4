/*
 * step.h: an instruction that a signal has interrupted
 *
 * The part of fault handling that depends on the processor. `context` is the
 * third argument of a signal handler.
 */
#ifndef SIMGPU_CORE_HEAP_STEP_H
#define SIMGPU_CORE_HEAP_STEP_H

/* True if the access that faulted is a write. */
int step_is_write(const void *context);

/*
 * Have the instruction executed alone, on return from the handler. Then `done`
 * gets `page`; an instruction that touches several pages may be stepped for
 * each. Returns false if this processor can't, or if there are too many pages.
 */
int step_over(char *page, void *context, void (*done)(char *page));

#endif
