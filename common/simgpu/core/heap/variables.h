/*
 * variables.h: the variables of a module, and which of them are device code's
 *
 * simnvcc lists the names of device variables in a section of each object
 * (simnvcc/variables.h). A module without that section has no kernels.
 */
#ifndef SIMGPU_CORE_HEAP_VARIABLES_H
#define SIMGPU_CORE_HEAP_VARIABLES_H

#include <stddef.h>
#include <stdint.h>

struct variables; /* a module's; exists as long as the process */

/* The variables of the ELF file at this path, or NULL if it can't be read or
 * has no kernels. */
const struct variables *variables_of(const char *path);

/* True if the module's kernels may call malloc(). */
int variables_allocate(const struct variables *v);

struct variable {
    char name[64];       /* in its source */
    uint64_t begin, end; /* addresses in the file */
    int is_device;       /* device code's own, or possibly so */
    int is_constant;     /* and __constant__ */
    int is_managed;      /* or __managed__ */
};

/* Find the variable at an address of the file. Returns 0 if there is none. */
int variables_find(const struct variables *v, uint64_t address,
                   struct variable *out);

/* Where simnvcc has listed the module's variables of which each device has a
 * copy (simnvcc/direct.h): the list's address in the file. Returns its size. */
size_t variables_own(const struct variables *v, uint64_t *address);

/* The addresses of the file between which the program's classes have their
 * tables of virtual functions. Returns 0 if there are none. */
int variables_tables(const struct variables *v, uint64_t *begin, uint64_t *end);

/* Find the table of virtual functions at an address of the file: *out gets its
 * class's name, begin and end. Returns 0 if there is none. */
int variables_table(const struct variables *v, uint64_t address,
                    struct variable *out);

/* Find the variable at an address of the ELF file at this path, which may have
 * no kernels. Only its name, begin and end are set. Returns 0 if there is
 * none. */
int variables_find_any(const char *path, uint64_t address,
                       struct variable *out);

/* The bytes of all thread-local variables whose symbol begins so. */
uint64_t variables_local_nbytes(const struct variables *v, const char *prefix);

/* Find the thread-local variable at this offset of the module's thread-local
 * memory. `is_device` is then true for the runtime's own. Returns 0 if there is
 * none; *out is the nearest one, with an empty name if there is none. */
int variables_find_local(const struct variables *v, uint64_t offset,
                         struct variable *out);

#endif
