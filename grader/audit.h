/*
 * audit.h: what a student's object may be made of
 *
 * Read from the ELF file itself, before it is linked. Its sections, the types
 * of its relocations and what it imports have to be on lists (allow.h, and here
 * those of the format): nothing of it runs before or after the functions that
 * the lab calls, and it reaches nothing but the lab's interface and the
 * libraries that labs are about. The object of a .cu file (NAME.cu.o) may also
 * import what simnvcc's device code is made of; by nvcc it may run what nvcc
 * has put there (audit_nvcc.h).
 */
#ifndef GRADER_AUDIT_H
#define GRADER_AUDIT_H

#include <stddef.h>

#include "names.h"

enum { AUDIT_NAME = 256 };

struct audit {
    struct names given; /* what it may import besides: the lab's interface,
                                 what the student's other objects define */
    int by_nvcc;
    int is_device;         /* of a .cu file; also if it is named NAME.cu.o */
    char name[AUDIT_NAME]; /* what is refused: a symbol or a section; "" */
    int defines;           /* it is a definition */
    char why[AUDIT_NAME + 128]; /* "it calls fopen" */
};

/* Add the global names that an object defines to a->given. 0, or -1: it cannot
 * be read. */
int audit_defined(struct audit *a, const char *path);

/* Look at one object. 0 if nothing is wrong with it; 1 with a->name and a->why;
 * -1 if it cannot be read, with a->why. */
int audit_object(struct audit *a, const char *path);

/* The name as a source has it: "_ZSt4cout" -> "cout". */
void audit_source_name(const char *symbol, char out[AUDIT_NAME]);

#endif
