/*
 * direct.h: host code that names a device variable
 *
 * nvcc gives host code a variable of its own in place of each __device__ and
 * __constant__ variable, and warns where a host function reads or writes it.
 * Here both sides have one variable, so the program would work, but on a GPU
 * the values differ. Only what is certain gets a warning: not a name that the
 * function may declare itself, a member function's names, or a variable that
 * another function may take as a symbol.
 */
#ifndef SIMNVCC_DIRECT_H
#define SIMNVCC_DIRECT_H

#include <stdio.h>

/* Write a warning to out for each such use in a preprocessed text, outside
 * simgpu's headers, which are in `folder`. */
void direct_warn(const char *text, const char *folder, FILE *out);

#endif
