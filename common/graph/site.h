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

#endif
