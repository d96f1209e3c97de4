/*
 * spaces.h: what runs where: calls that nvcc refuses between host and device
 *
 * g++ compiles host and device code alike, so it accepts a kernel that calls a
 * function of the host. clang knows CUDA's rules. It reads the preprocessed
 * file, in which all that simgpu's headers define may be called on both sides,
 * and what it finds is said in nvcc's words. A file in which clang meets
 * anything else that it refuses is not judged, since g++ decides what C++ is.
 */
#ifndef SIMNVCC_SPACES_H
#define SIMNVCC_SPACES_H

#include <stdio.h> /* FILE */

/* Write a file that the host's preprocessor has read, as clang is to read it.
 * `own` is the folder of simgpu's headers. */
void spaces_write(const char *text, const char *own, FILE *out);

/*
 * Print, for each of clang's errors in the program's own files that is one of
 * nvcc's too, a line "file(line): error: ..." to `out`. Returns the number of
 * lines.
 */
int spaces_report(const char *said, const char *own, FILE *out);

#endif
