/* whole.h: a whole file as text */
#ifndef COMMLAB_TESTS_WHOLE_H
#define COMMLAB_TESTS_WHOLE_H

/* The text of a file, which the caller frees; NULL, and errno, if it can't be
 * read. */
char *whole_file(const char *path);

#endif
