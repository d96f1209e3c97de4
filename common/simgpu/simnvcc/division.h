/*
 * division.h: integer divisions by zero that trap on arm64
 *
 * An x86-64 processor traps when it divides an integer by zero. An arm64
 * processor continues with 0, and a GPU with another result
 * (core/heap/divide.h). In arm64 assembly each
 *
 *         sdiv x0, x1, x2
 *
 * therefore gets an undefined instruction in front of it, which is skipped
 * unless x2 is zero.
 */
#ifndef SIMNVCC_DIVISION_H
#define SIMNVCC_DIVISION_H

#include <stdio.h>

/* Write the assembly to out. It is changed only where
 * it has arm64 divisions. */
void trap_divisions(const char *assembly, FILE *out);

#endif
