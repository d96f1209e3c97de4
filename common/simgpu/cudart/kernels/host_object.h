/*
 * host_object.h: objects with virtual functions that host code has built
 *
 * Such an object points to its class's table of virtual functions. On a GPU
 * that is the host's table, unless device code has built the object, so a
 * kernel that calls a virtual function of it reads memory that it can't reach.
 * Here both have one table. So where a copy brings an object's bytes from
 * the host to a device, they get the address of a second table:
 *
 *     object        second table        stub
 *     [ table ] --> [ function ] -----> in a kernel: fail
 *     [ members ]                       in host code: jmp to the function
 *
 * Host code may get the object back, then, and use it as before. What a copy
 * has brought from a device to the host was perhaps built there, so its class's
 * objects are passed as they are from then on.
 *
 * Not found: objects in managed memory, parameters, which device code copies by
 * their constructors, classes in libraries, and any on processors other than
 * x86-64.
 */
#ifndef SIMGPU_CUDART_KERNELS_HOST_OBJECT_H
#define SIMGPU_CUDART_KERNELS_HOST_OBJECT_H

#include <stddef.h>

/* Bytes have been copied from a device to the host. */
void host_object_told(const void *bytes, size_t nbytes);

/* Replace the tables of the objects in bytes that a copy has brought from the
 * host to a device. */
void host_object_replace(void *bytes, size_t nbytes);

#endif
