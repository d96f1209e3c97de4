/*
 * audit_machine.h: checks of an object that depend on its processor
 */
#ifndef GRADER_AUDIT_MACHINE_H
#define GRADER_AUDIT_MACHINE_H

#include <libelf.h>

/* True if code and data of C and C++ need relocations of this type on this
 * machine (EM_X86_64, ...), and for every type on unknown machines. */
int audit_machine_relocates(unsigned machine, unsigned type);

/*
 * True if the code in elf, which is the file at path, contains an instruction
 * that makes a system call. An instruction hidden inside another one is not
 * found.
 */
int audit_machine_calls_kernel(Elf *elf, const char *path);

#endif
