/*
 * file.h: whole files
 */
#ifndef GRADER_FILE_H
#define GRADER_FILE_H

/* Copy a file. 0, or -1: one cannot be read, or the other not be written. */
int file_copy(const char *from, const char *to);

/* True if both can be read and have the same bytes. */
int file_same(const char *a, const char *b);

#endif
