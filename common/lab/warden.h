/*
 * warden.h: a parent for each graded rank, which says how the rank ended
 *
 * A rank that was killed from outside is the machine's fault, one that ends
 * itself is its author's. Only a parent hears from the kernel which of them it
 * was, and what a rank says of itself is no evidence. So a graded program forks
 * before anything else: the child becomes the rank, the parent waits for it and
 * speaks to the grader (base/warden.h).
 *
 * The child gives up what it would need to look as if it had been killed from
 * outside: signals to other processes, and those signals to itself that a
 * failing program never gets.
 */
#ifndef COMMLAB_LAB_WARDEN_H
#define COMMLAB_LAB_WARDEN_H

/* Call first in main(), with the job's folder. Returns in the rank only; or in
 * the only process, if the folder has no such socket. */
void warden_start(const char *job);

/* For the child of warden_start(). Returns 0, or -1 with errno. */
int warden_restrict(void);

#endif
