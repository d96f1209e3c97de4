/*
 * trap.h: how a division by zero is noticed on arm64
 *
 * simnvcc puts this undefined instruction before the division
 * (simnvcc/division.h). It raises SIGILL, whose handler in simgpu recognises it
 * by its bits (simgpu/core/heap/divide.h).
 */
#ifndef COMMLAB_BASE_TRAP_H
#define COMMLAB_BASE_TRAP_H

enum { TRAP_DIVISION = 0xd1f0 }; /* an encoding of udf, whose upper half is 0 */

#endif
