/*
 * kitcopy.h: a copy of the kit that a test may change and break
 *
 * For tests of tools that write into the kit: each test gets its own copy.
 */
#ifndef TESTS_SUPPORT_KITCOPY_H
#define TESTS_SUPPORT_KITCOPY_H

/* Make and remove the copy, as a checked fixture: the sources, build/plan, and
 * simgpu with its machines. */
void kitcopy_make(void);
void kitcopy_remove(void);

/* Copy the rest of the build folder, so that make has little to do. */
void kitcopy_add_build(void);

/* Run shell commands in the copy. They must end with this status and
 * print this text. */
void kitcopy_expect(const char *commands, int status, const char *says);

#endif
