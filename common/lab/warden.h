/*
 * warden.h: a parent for each graded rank, which reports how the rank ended
 *
 * If a rank is killed from outside, the machine is at fault; if it ends itself,
 * its author is. Only the parent learns from the kernel which of the two
 * happened, and what a rank says about itself is not evidence. So a graded
 * program forks before anything else: the child becomes the rank; the parent
 * waits for it and reports to the grader (base/warden.h).
 *
 * The child gives up the means to look as if it had been killed from outside:
 * signals to other processes, and those signals to itself that a failing
 * program never gets.
 */
#ifndef COMMLAB_LAB_WARDEN_H
#define COMMLAB_LAB_WARDEN_H

/* Call this first in main(), with the job's folder. Returns in the rank only.
 * If the folder has no socket WARDEN_NAME, it returns without forking. */
void warden_start(const char *job);

/* Called in the child by warden_start(). Returns 0, or -1 with errno. */
int warden_restrict(void);

#endif
