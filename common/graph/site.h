/*
 * site.h: call sites, from a return address to "file:line"
 *
 * A place in code is a module (an ELF file) and an address in that file: the
 * same in every process, wherever the module is loaded. Its line is looked up
 * in the module's DWARF line table on demand, so recording a call site only
 * costs finding its module.
 */
#ifndef COMMLAB_GRAPH_SITE_H
#define COMMLAB_GRAPH_SITE_H

#include <stddef.h>
#include <stdint.h>

/*
 * The module and offset of the call that returns to `address` in this process.
 * Copies the module's path; "" and the address itself if it is in no module.
 */
void site_locate(const void *address, char *module, size_t nbytes,
                 uint64_t *offset);

/*
 * "file.c:12" of an offset in a module, or "module+0x12" if the module has no
 * line for it. Writes to out and returns it. Thread-safe.
 */
const char *site_text(const char *module, uint64_t offset, char *out,
                      size_t nbytes);

/*
 * Of the calls on a stack, innermost first, the first one in a student's source
 * file: "ring_step() at ring.c:40". Files of the kit (common/), of the system
 * and of libraries are not a student's. Without one, the innermost call in the
 * program; "an unknown place" without any. address: return addresses, as of
 * backtrace(). Writes to out and returns it.
 */
const char *site_of_student(void *const *address, int n, char *out,
                            size_t nbytes);

struct site_call {
    const char *module;
    uint64_t offset;
};
enum { SITE_DEPTH = 6 }; /* calls that are recorded of a stack, at most */

/*
 * The text of a call site that was recorded with the calls around it, innermost
 * first. If the call itself is in a file of the kit, a student looks for the
 * line that called the kit: "overlap.c:40 (in kernels.cu:30)", or without the
 * bracket, if the kit's function only counts the call. Writes to out and
 * returns it.
 */
const char *site_stack_text(const struct site_call *call, int n, char *out,
                            size_t nbytes);

#endif
