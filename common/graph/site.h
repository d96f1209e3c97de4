/*
 * site.h: from a return address to "file:line"
 *
 * Looked up in the DWARF line tables of this process's own modules, when
 * somebody asks: recording a call site costs an address only.
 */
#ifndef COMMLAB_GRAPH_SITE_H
#define COMMLAB_GRAPH_SITE_H

#include <stddef.h>

/*
 * The call in process `pid` that returns to `address`, as "file.c:12";
 * "module+0x12" where there is no line table, "?" for NULL. Writes to out and
 * returns it.
 */
const char *site_text(int pid, const void *address, char *out, size_t nbytes);

#endif
