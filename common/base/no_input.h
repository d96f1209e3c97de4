/*
 * no_input.h: a standard input on which nothing arrives, not even its end
 *
 * What MPICH's mpirun reads it sends to the first rank, the end of its input
 * too. Where that is there from the start, as that of /dev/null, and the ranks
 * have ended before a busy machine lets mpirun send it, mpirun is ended by
 * SIGPIPE: with no output, and a status that is not the program's.
 */
#ifndef COMMLAB_BASE_NO_INPUT_H
#define COMMLAB_BASE_NO_INPUT_H

/* Make it the input of the calling process: call it between fork() and exec().
 * Without /proc, or file descriptors, it is /dev/null. */
void no_input(void);

#endif
