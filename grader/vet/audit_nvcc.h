/*
 * audit_nvcc.h: code that nvcc itself puts into an object
 *
 * Code that runs before main is refused, but nvcc adds such code: a function
 * that registers the object's kernels with the runtime, and lets atexit()
 * remove them. No function of the student's can have its name, since nvcc would
 * define the name a second time.
 */
#ifndef GRADER_AUDIT_NVCC_H
#define GRADER_AUDIT_NVCC_H

#include <gelf.h>

struct nvcc_code { /* nvcc's registering function */
    size_t section;
    GElf_Addr begin, end; /* 0, 0: the object has no such function */
};

struct nvcc_code nvcc_code_find(Elf *elf);

/* True if the section lists this function and nothing else. */
int nvcc_code_is_listed(Elf *elf, const struct nvcc_code *c, Elf_Scn *list);

/* True if `symbol`, given by its number, is called from this function only. */
int nvcc_code_calls(Elf *elf, const struct nvcc_code *c, size_t symbol);

#endif
