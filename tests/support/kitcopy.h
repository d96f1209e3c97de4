/*
 * kitcopy.h: a copy of the kit, to be changed and broken
 *
 * For tests of tools that write into the kit: each test has a copy of its own.
 */
#ifndef TESTS_SUPPORT_KITCOPY_H
#define TESTS_SUPPORT_KITCOPY_H

/* A checked fixture: the sources, build/plan, and the machines it knows. */
void kitcopy_make(void);
void kitcopy_remove(void);

/* Copy all that is built, too, so that make has little to do. */
void kitcopy_add_build(void);

/* Run shell commands in the copy: they end with this status and print this. */
void kitcopy_expect(const char *commands, int status, const char *says);

#endif
