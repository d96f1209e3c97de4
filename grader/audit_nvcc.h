/*
 * audit_nvcc.h: what nvcc itself puts into an object
 *
 * Code that runs before main is refused, but nvcc makes some: a function that
 * tells the runtime of the object's kernels, and has atexit() take it back. Its
 * name can't be the student's, since nvcc would define it a second time.
 */
#ifndef GRADER_AUDIT_NVCC_H
#define GRADER_AUDIT_NVCC_H

#include <gelf.h>

struct nvcc_code { /* that function */
    size_t section;
    GElf_Addr begin, end; /* 0, 0: the object has none */
};

struct nvcc_code nvcc_code_find(Elf *elf);

/* Is the section a list of that function, and of nothing else? */
int nvcc_code_is_listed(Elf *elf, const struct nvcc_code *c, Elf_Scn *list);

/* Is `symbol`, by its number, called from that function alone? */
int nvcc_code_calls(Elf *elf, const struct nvcc_code *c, size_t symbol);

#endif
