/*
 * site.h: call sites, the lines of the program that made a call
 *
 * A site is a number in this process's graph. A site_location says the same to
 * any process.
 */
#ifndef SIMGPU_CORE_SITE_H
#define SIMGPU_CORE_SITE_H

#include <stddef.h>
#include <stdint.h>

#include "graph/site.h" /* SITE_DEPTH */

/* The site of a return address. */
uint32_t simgpu_site(const void *return_address);

/* The caller of a function of another library that calls the runtime's; NULL:
 * the runtime's function was called directly. */
extern __thread const void *simgpu_site_caller;

/* Likewise the name of that function, which lasts, for the graph; NULL: that of
 * the runtime's. */
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
    uint64_t offset[SITE_DEPTH]; /* of each call, innermost first */
    char module[184];            /* that they are in */
};
void simgpu_site_locate(uint32_t site, struct site_location *out);

/* "file:line" of a location in any process. Returns out. */
const char *simgpu_site_location_text(const struct site_location *where,
                                      char *out, size_t nbytes);

#endif
