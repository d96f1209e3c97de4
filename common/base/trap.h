/*
 * trap.h: how a division by zero on an arm64 is noticed
 *
 * simnvcc puts this undefined instruction before the division
 * (simnvcc/division.h), and simgpu's handler of SIGILL knows it by that
 * (simgpu/core/divide.h).
 */
#ifndef COMMLAB_BASE_TRAP_H
#define COMMLAB_BASE_TRAP_H

enum { TRAP_DIVISION = 0xd1f0 }; /* one of udf's: its upper half is 0 */

#endif
