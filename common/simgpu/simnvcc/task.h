/*
 * task.h: one run of simnvcc: its options, commands, and names of files
 *
 * Texts that these functions return are never freed, since simnvcc ends soon.
 */
#ifndef SIMNVCC_TASK_H
#define SIMNVCC_TASK_H

#include <limits.h> /* PATH_MAX */

#include "options.h"

struct nvcc_task {
    struct options o;
    char prefix[PATH_MAX]; /* where this simgpu is installed */
    char temp[PATH_MAX];   /* a folder that is removed at the end */
};

/* Write a command to stderr. */
void task_show(const struct nvcc_args *a);

/* Run a command. Returns its exit status. */
int task_run(const struct nvcc_task *t, struct nvcc_args *a);

/* The same, and what the command writes to stderr goes to file `said`. */
int task_run_into(const struct nvcc_task *t, struct nvcc_args *a,
                  const char *said);

/* A concatenation of two texts. */
char *text_join(const char *a, const char *b);

/* A file's text, or NULL. */
char *file_read(const char *path);

/* A path without its folder. */
const char *file_name(const char *path);

/* The path's file name with another ending, in a folder. */
char *file_renamed(const char *folder, const char *path, const char *ending);

/* A path with another ending. */
char *file_beside(const char *path, const char *ending);

/* The kind of a file, from its ending or from the option that sets it. */
int file_is_cuda(const struct nvcc_task *t, const char *path);
int file_is_c(const struct nvcc_task *t, const char *path);
int file_is_source(const struct nvcc_task *t, const char *path);

/* True for an executable file whose name has no ending. */
int file_is_program(const char *path);

#endif
