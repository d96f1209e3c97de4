/*
 * misnamed.h: files that are not taken because of their names
 *
 * Browsers, editors and learning systems change names: Windows hides that it
 * saves p2p.c as p2p.c.txt, a second download is "p2p (1).c", a copy is
 * "p2p - Copy.c". Such a file is not taken, since it may be an old version; but
 * if the right one is missing, the student is told what to rename.
 */
#ifndef GRADER_MISNAMED_H
#define GRADER_MISNAMED_H

enum { MISNAMED_MOST = 80 }; /* bytes of such a name, with its NUL */

/*
 * Which of these names a file may have had: the one that agrees with most of
 * its name. -1 if it has one of them, in upper or lower case, or is like none.
 */
int misnamed_find(const char *name, const char *const *wanted, int n);

#endif
