/*
 * file.h: copying and comparing files
 */
#ifndef GRADER_FILE_H
#define GRADER_FILE_H

/* Copy a file. Returns 0, or -1 if one can't be read or the other
 * can't be written. */
int file_copy(const char *from, const char *to);

/* True if both files can be read and have the same bytes. */
int file_same(const char *a, const char *b);

#endif
