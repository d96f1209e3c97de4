/*
 * recorder_pipe.h: takes a rank's execution graph from the rank's pipe
 */
#ifndef GRADER_RECORDER_PIPE_H
#define GRADER_RECORDER_PIPE_H

#include "grader/recorder/recorder_rank.h"

/* Take some of what has arrived, or hang up if the rank has closed the pipe. */
void recorder_pipe_read(struct recorder *r, struct rank *k);

#endif
