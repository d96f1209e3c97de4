/*
 * sentry.h: a process that reports which rank was killed
 *
 * SIGKILL leaves a rank no time for a report, and mpirun then kills the other
 * ranks within milliseconds. So the first rank that is loaded starts a process
 * that isn't a rank: the sentry sleeps until a rank ends, and prints which it
 * was, the signal, and the rank's last call. It keeps that first rank's stderr
 * open, so mpirun waits for the report.
 *
 * A rank holds a connection to the sentry from before main(). When it ends, the
 * kernel closes its descriptors, the highest first, so the sentry's connection
 * before mpirun's: the first one to be closed is that of the rank that ended
 * first, however busy the machine.
 *
 * A rank that ends the job by itself says why, and the sentry is silent. A
 * graded rank has a parent that watches it instead (lab/warden.h).
 */
#ifndef SIMGPU_CORE_WATCH_SENTRY_H
#define SIMGPU_CORE_WATCH_SENTRY_H

/* Send this process's control page to the sentry, if the job has one. */
void sentry_meet(void);

#endif
