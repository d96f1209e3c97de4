/*
 * resident.h: each device's copies of the variables of device code
 *
 * On GPUs each device has its own copy of a __device__ or __constant__
 * variable. Here the code of all devices runs on one address. What is there are
 * the *resident* device's copies. Before another device's kernel or copy
 * touches a variable, all variables change places with that device's copies,
 * which have their initial values at first:
 *
 *     resident_enter(1)     variables <--> copies of device 1
 *     ... kernel of device 1 ...
 *     resident_leave()
 *
 * Meanwhile no other device may enter. A kernel that only waits, perhaps for
 * another device's kernel, therefore has to yield.
 *
 * Not here: static variables of functions and classes, which all devices share,
 * and __managed__ variables, of which there is one.
 */
#ifndef SIMGPU_CORE_HEAP_RESIDENT_H
#define SIMGPU_CORE_HEAP_RESIDENT_H

#include "core/proc.h"

/* Find the variable that contains p. Returns 0 if there is none. */
int resident_find(const void *p, const char **begin, const char **end);

/* Make the device's copies resident until the caller leaves. Waits for
 * other devices to leave. Device -1 does nothing. */
void simgpu_resident_enter(int device);
void simgpu_resident_leave(int device);

/* Between the two: let a device that waits come first. */
void resident_yield(int device);

#endif
