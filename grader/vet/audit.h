/*
 * audit.h: what a student's object may contain
 *
 * The object is read from the ELF file, before it is linked. Its sections, the
 * types of its relocations and its imports must be on lists (in allow.h; here
 * for the file format). So none of its code runs before or after the functions
 * that the lab calls, and it reaches only the lab's interface and the libraries
 * that labs are about. The object of a .cu file (NAME.cu.o) may also import
 * what simnvcc's device code consists of; if nvcc made it, it may run what nvcc
 * has put there (audit_nvcc.h).
 */
#ifndef GRADER_AUDIT_H
#define GRADER_AUDIT_H

#include <stddef.h>

#include "grader/base/names.h"

enum { AUDIT_NAME = 256 };

struct audit {
    struct names given; /* further names that it may import: the lab's
                           interface, and what the student's other objects
                           define */
    int by_nvcc;
    int is_device;         /* for a .cu file, including one named NAME.cu.o */
    char name[AUDIT_NAME]; /* the refused symbol or section; "": none */
    int defines;           /* 1 if it is a definition */
    char why[AUDIT_NAME + 128]; /* "it calls fopen" */
};

/* Add the global names that an object defines to a->given. Returns 0, or -1 if
 * it can't be read. */
int audit_defined(struct audit *a, const char *path);

/* Check one object. Returns 0 if nothing is wrong with it; 1 with a->name and
 * a->why; -1 with a->why if it can't be read. */
int audit_object(struct audit *a, const char *path);

/* The name as in the source: "cout" for "_ZSt4cout". */
void audit_source_name(const char *symbol, char out[AUDIT_NAME]);

#endif
