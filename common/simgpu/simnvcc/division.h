/*
 * division.h: integer divisions of an arm64 that stop where they are by zero
 *
 * An x86-64 traps when it divides an integer by zero. An arm64 continues with
 * 0, a GPU with another result (core/divide.h). In arm64 assembly each
 *
 *         sdiv x0, x1, x2
 *
 * therefore gets an undefined instruction before it, which is skipped unless x2
 * is zero.
 */
#ifndef SIMNVCC_DIVISION_H
#define SIMNVCC_DIVISION_H

#include <stdio.h>

/* Write the assembly to out; changed only where it divides as an arm64. */
void trap_divisions(const char *assembly, FILE *out);

#endif
