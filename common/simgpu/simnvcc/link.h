/*
 * link.h: objects become a program
 */
#ifndef SIMNVCC_LINK_H
#define SIMNVCC_LINK_H

#include "task.h"

/* Link with simgpu's libraries; the exit status. */
int link_program(const struct task *t, struct args *objects,
                 const char *output);

/* Make a static library. */
int link_archive(const struct task *t, struct args *objects,
                 const char *output);

/* An object without contents, for build rules that link device code. */
int link_device(const struct task *t);

/*
 * CMake links by itself: with the program of the last line that holds what
 * LIBRARIES= said. That has to be simnvcc, which knows where its libraries are
 * at run time, and wraps the clocks.
 */
const char *link_libraries(const struct task *t);
void link_show(const struct task *t, const struct args *objects,
               const char *output);

#endif
