/*
 * site.h: call sites, the lines of the program that made a call
 *
 * A site is a number in this process's graph. A site_location identifies the
 * same lines in any process.
 */
#ifndef SIMGPU_CORE_SITE_H
#define SIMGPU_CORE_SITE_H

#include <stddef.h>
#include <stdint.h>

#include "graph/record/site.h" /* SITE_DEPTH */

/* The site of a return address. */
uint32_t simgpu_site(const void *return_address);

/* True for an address in the program's code, not in a library's. */
int site_in_program(uintptr_t address);

/* The site of the innermost of these frames (return addresses, innermost first)
 * that is in the program; that of the first if there is none. */
uint32_t site_of_frames(const void *const *frame, int n);

/* The same on a stack that ends at `top` and not with the thread's own. */
uint32_t simgpu_site_below(const void *return_address, const void *top);

/* If a function of another library calls the runtime, that function's return
 * address; NULL if the program calls the runtime directly. */
extern __thread const void *simgpu_site_caller;

/* That function's name, for the graph, which must outlive the run; NULL: use
 * the runtime function's name. */
extern __thread const char *simgpu_site_call;

static inline const char *site_call(const char *own)
{
    return simgpu_site_call ? simgpu_site_call : own;
}

/* The call site of the API function that uses this macro: its caller. */
#define CALLER_SITE()                                                          \
    simgpu_site(simgpu_site_caller ? simgpu_site_caller                        \
                                   : __builtin_return_address(0))

/* "file:line" of a site of this process. Returns out. */
const char *simgpu_site_text(uint32_t site, char *out, size_t nbytes);

struct site_location { /* plain data */
    int32_t ncalls;
    uint64_t offset[SITE_DEPTH]; /* return addresses, innermost call first */
    char module[184];            /* the module that contains them */
};
void simgpu_site_locate(uint32_t site, struct site_location *out);

/* "file:line" of a location in any process. Returns out. */
const char *simgpu_site_location_text(const struct site_location *where,
                                      char *out, size_t nbytes);

#endif
