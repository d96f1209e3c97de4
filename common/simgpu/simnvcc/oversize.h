/*
 * oversize.h: variables that take more memory than a GPU has for them
 *
 * ptxas adds up the __shared__ arrays of each kernel and the __constant__
 * variables of each file. The compiler's assembly has their sizes here. What it
 * has dropped because nothing uses it is not counted; ptxas drops such arrays,
 * too. The arrays of functions that a kernel calls are not added to its own.
 */
#ifndef SIMNVCC_OVERSIZE_H
#define SIMNVCC_OVERSIZE_H

#include <stdio.h> /* FILE */

/* Report what is too large in the assembly of a source. Returns the number of
 * errors printed. */
int oversize_report(const char *assembly, const char *source, FILE *out);

#endif
