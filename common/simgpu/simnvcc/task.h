/*
 * task.h: what one call of simnvcc is to do; commands, and names of files
 *
 * Texts that these functions return are never freed: simnvcc ends soon.
 */
#ifndef SIMNVCC_TASK_H
#define SIMNVCC_TASK_H

#include <limits.h> /* PATH_MAX */

#include "options.h"

struct task {
    struct options o;
    char prefix[PATH_MAX]; /* of this simgpu */
    char temp[64];         /* a folder that is removed at the end */
};

/* Write a command to stderr. */
void task_show(const struct args *a);

/* Run a command; its exit status. */
int task_run(const struct task *t, struct args *a);

/* One text behind the other. */
char *text_join(const char *a, const char *b);

/* A file's text, or NULL. */
char *file_read(const char *path);

/* Without its folder. */
const char *file_name(const char *path);

/* The name of a path with another ending, in a folder. */
char *file_renamed(const char *folder, const char *path, const char *ending);

/* A path with another ending. */
char *file_beside(const char *path, const char *ending);

/* What a file is, by its ending or the option that says so. */
int file_is_cuda(const struct task *t, const char *path);
int file_is_c(const struct task *t, const char *path);
int file_is_source(const struct task *t, const char *path);

#endif
