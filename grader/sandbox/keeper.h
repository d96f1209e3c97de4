/*
 * keeper.h: a process between the grader and a command, which cleans up
 *
 * A command's processes must end when the command ends, and when the grader
 * does, for any reason. bubblewrap alone can't ensure that: if it is
 * killed before its first process inside has asked to die with it, that process
 * waits forever (containers/bubblewrap, issue 633).
 */
#ifndef GRADER_KEEPER_H
#define GRADER_KEEPER_H

#include <sys/types.h>

/*
 * Fork the caller, which is itself a fork of the grader with a single thread.
 * The child returns, with its parent's number, and must exec the command. The
 * parent is its keeper and never returns. It ends as the command ends. On
 * SIGTERM it kills the command. If the pipe `out` has no reader, the grader is
 * gone: it kills the command and removes its control groups. Before it ends, it
 * kills all processes that the command left behind.
 */
pid_t keeper_begin(int out);

#endif
