/*
 * site.h: call sites, from a return address to "file:line"
 *
 * A place in code is a module (an ELF file) and an address in that file: it is
 * the same in every process, wherever the module is loaded. Its line is looked
 * up in the module's DWARF line table on demand, so recording a call site only
 * takes finding its module.
 */
#ifndef COMMLAB_GRAPH_SITE_H
#define COMMLAB_GRAPH_SITE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Find the module and offset of the call that returns to `address` in this
 * process. Copies the module's path; if the address is in no module, gives ""
 * and the address itself.
 */
void site_locate(const void *address, char *module, size_t nbytes,
                 uint64_t *offset);

/*
 * Write "file.c:12" for an offset in a module, or "module+0x12" if the module
 * has no line for it, to out. Returns out. Thread-safe.
 */
const char *site_text(const char *module, uint64_t offset, char *out,
                      size_t nbytes);

/*
 * Write the innermost call on a stack that is in a student's source file, such
 * as "ring_step() at ring.c:40", to out. Files of the kit (common/), of the
 * system and of libraries are not a student's. If there is none, this is the
 * innermost call in the program, or else "an unknown place". address holds
 * return addresses, innermost first, as from backtrace(). Returns out.
 */
const char *site_of_student(void *const *address, int n, char *out,
                            size_t nbytes);

/* The same; returns 0 if none of the calls is in a student's file. */
int site_student(void *const *address, int n, char *out, size_t nbytes);

struct site_call {
    const char *module;
    uint64_t offset;
};
enum { SITE_DEPTH = 6 }; /* calls of a stack that are recorded, at most */

/*
 * Write the text of a call site that was recorded with the calls around it,
 * innermost first, to out. If the call itself is in a file of the kit, a
 * student needs the line that called the kit: "overlap.c:40 (in
 * kernels.cu:30)", without the bracket if the kit's function only counts the
 * call. Returns out.
 */
typedef const char *site_stack_fn(const struct site_call *call, int n,
                                  char *out, size_t nbytes);
site_stack_fn site_stack_text;

/*
 * Write the call that led to the one that site_stack_text() names, as
 * "pipeline.c:60": the innermost in another file of a student's. A helper such
 * as a put is called from many places, and its own line doesn't show which one
 * is wrong. "" if there is none. Returns out.
 */
site_stack_fn site_stack_from;

#endif
