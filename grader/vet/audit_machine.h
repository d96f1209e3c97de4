/*
 * audit_machine.h: what of an object depends on the processor it is for
 */
#ifndef GRADER_AUDIT_MACHINE_H
#define GRADER_AUDIT_MACHINE_H

#include <libelf.h>

/* True if code and data of C and C++ need relocations of this type on this
 * machine (EM_X86_64, ...). Those of machines that are not known are true. */
int audit_machine_relocates(unsigned machine, unsigned type);

/* True if the code in elf, which is the file at path, has an instruction that
 * makes a system call. An instruction that is hidden inside of another one is
 * not found. */
int audit_machine_calls_kernel(Elf *elf, const char *path);

#endif
