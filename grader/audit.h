/*
 * audit.h: what a student's object may define and ask for
 *
 * Read from the ELF file itself, before it is linked. A submission solves a
 * lab; it doesn't define the functions that it is to call, start processes,
 * open files or run code before main. The object of a .cu file (NAME.cu.o) may
 * also call what simnvcc's device code is made of; by nvcc it may run what nvcc
 * has put there (audit_nvcc.h).
 */
#ifndef GRADER_AUDIT_H
#define GRADER_AUDIT_H

#include <stddef.h>

/*
 * Look at one object. 0 if nothing is wrong with it; 1 with a line in why, "it
 * defines ncclAllReduce"; -1 if it cannot be read, with a line in why.
 */
int audit_object(const char *path, int by_nvcc, char *why, size_t nbytes);

#endif
