/*
 * keeper.h: a process between the grader and what it runs, which clears up
 *
 * A command's processes are ended with it, and with the grader, however that
 * ends. bubblewrap alone can't promise it: killed before its first process
 * inside has asked to die with it, it leaves that one waiting for ever
 * (containers/bubblewrap, issue 633).
 */
#ifndef GRADER_KEEPER_H
#define GRADER_KEEPER_H

#include <sys/types.h>

/* Fork the caller, itself a fork of the grader's and alone in it. The child
 * returns, with its parent's number, and is to exec the command. The parent is
 * its keeper and never returns: it ends as the command ends; or kills it, when
 * it gets SIGTERM; or does so, and removes its control groups, once the pipe
 * `out` has no reader, since the grader is gone. Before it ends, it kills
 * all processes that the command left behind. */
pid_t keeper_begin(int out);

#endif
