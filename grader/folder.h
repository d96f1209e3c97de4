/*
 * folder.h: folders of our own
 */
#ifndef GRADER_FOLDER_H
#define GRADER_FOLDER_H

/* Make a folder that only this user can enter, unless there is one of that
 * name. 0, or -1 with errno set. */
int folder_make(const char *path);

/* Remove it with all that is in it, as far as that is possible. */
void folder_remove(const char *path);

#endif
