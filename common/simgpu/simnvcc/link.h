/*
 * link.h: linking objects
 */
#ifndef SIMNVCC_LINK_H
#define SIMNVCC_LINK_H

#include "task.h"

/* Link a program with simgpu's libraries. Returns the exit status. */
int link_program(const struct nvcc_task *t, struct nvcc_args *objects,
                 const char *output);

/* Create a static library. */
int link_archive(const struct nvcc_task *t, struct nvcc_args *objects,
                 const char *output);

/* Create an object without contents, for build rules that link device code. */
int link_device(const struct nvcc_task *t);

/*
 * CMake links by itself, with the program named by the last output line that
 * contains the text after LIBRARIES=. That program has to be simnvcc, which
 * sets where libraries are found at run time and wraps the clocks.
 */
const char *link_libraries(const struct nvcc_task *t);
void link_show(const struct nvcc_task *t, const struct nvcc_args *objects,
               const char *output);

#endif
