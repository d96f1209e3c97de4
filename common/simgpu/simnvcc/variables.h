/*
 * variables.h: which variables of a .cu file are device code's own
 *
 * On a GPU a kernel may touch variables with __device__, __constant__ or
 * __managed__, and static variables of device functions; others are in the
 * host's memory. Here all of them are in the program's. Each object therefore
 * lists the names of the former in a section that is not loaded, for the
 * runtime (core/heap/variables.h).
 */
#ifndef SIMNVCC_VARIABLES_H
#define SIMNVCC_VARIABLES_H

#include <stdio.h>

/* Write the list of a preprocessed text, as a declaration of C++; nothing if it
 * has no device code. If device code calls malloc() or new, the list has the
 * entry "malloc()". */
void variables_write(const char *text, FILE *out);

#endif
