/*
 * listener.h: a socket in a folder that a sandbox can see
 */
#ifndef GRADER_LISTENER_H
#define GRADER_LISTENER_H

/* Listen on folder/name, for any user. Returns the socket, or -1 with errno. */
int listener_open(const char *folder, const char *name);

/* Stop listening: connections made later would not be the kit's. */
void listener_close(int listener, const char *folder, const char *name);

#endif
