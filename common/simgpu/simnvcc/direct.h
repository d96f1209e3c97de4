/*
 * direct.h: device variables, and host code that names them
 *
 * nvcc gives host code a variable of its own in place of each __device__ and
 * __constant__ variable, and warns where a host function reads or writes it.
 * Here both sides have one variable, so the program would work, but on a GPU
 * the values differ. Only what is certain gets a warning: not a name that the
 * function may declare itself, a member function's names, or a variable that
 * another function may take as a symbol.
 *
 * Each device has its own copy of such a variable, and the runtime has to know
 * where they are (core/heap/resident.h). So the file's end lists the addresses
 * of those that are declared in namespaces.
 */
#ifndef SIMNVCC_DIRECT_H
#define SIMNVCC_DIRECT_H

#include <stdio.h>

/*
 * Read a preprocessed text. Write a warning for each such use outside simgpu's
 * headers, which are in `folder`, and the list of device variables in C++.
 * Either file may be NULL.
 */
void direct_read(const char *text, const char *folder, FILE *warnings,
                 FILE *list);

#endif
