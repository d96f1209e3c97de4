/* whole.h: a whole file as text */
#ifndef COMMLAB_TESTS_WHOLE_H
#define COMMLAB_TESTS_WHOLE_H

/* The contents of a file, unpacked if it is packed. The caller frees them. NULL
 * with errno if it can't be read. */
char *whole_file(const char *path);

/* True if the file is packed, by gzip: its name ends in ".gz". */
int whole_packed(const char *path);

#endif
