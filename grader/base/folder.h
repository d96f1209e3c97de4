/*
 * folder.h: the grader's own folders
 */
#ifndef GRADER_FOLDER_H
#define GRADER_FOLDER_H

/* Make a folder that only this user can enter, unless a folder with that name
 * exists. Returns 0, or -1 with errno set. */
int folder_make(const char *path);

/* The same for a folder that others may enter as far as the umask allows. */
int folder_make_shared(const char *path);

/* Remove a folder and its contents, as far as possible. */
void folder_remove(const char *path);

#endif
