/*
 * no_input.h: a standard input on which nothing ever arrives, not even its end
 *
 * MPICH's mpirun forwards its input to the first rank, and with it the end of
 * the input. If the input ends at once, as /dev/null does, and the ranks end
 * before a busy machine lets mpirun forward that, SIGPIPE ends mpirun: without
 * output, and with a status that is not the program's.
 */
#ifndef COMMLAB_BASE_NO_INPUT_H
#define COMMLAB_BASE_NO_INPUT_H

/*
 * Make this the standard input of the calling process. Call it between fork()
 * and exec(). If /proc or file descriptors are missing, the input is /dev/null.
 */
void no_input(void);

#endif
