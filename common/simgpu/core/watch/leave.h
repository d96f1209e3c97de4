/*
 * leave.h: ranks that end without MPI_Finalize
 *
 * mpirun then kills the other ranks. If the rank's status is 0, mpirun prints
 * no more than the "EXIT CODE: 9" of a rank that it has killed, or returns 0
 * itself, whichever process it waits for first. So a rank that leaves by
 * exit(), or by returning from main(), reports itself, when its handlers and
 * destructors have had the chance to call MPI_Finalize, and ends with status 70
 * instead of 0.
 */
#ifndef SIMGPU_CORE_WATCH_LEAVE_H
#define SIMGPU_CORE_WATCH_LEAVE_H

/* Note the status with which the process ends. */
void leave_note(int status);

/* Have the process end with status 70 instead of 0, when its handlers and
 * destructors have run, because of what has been reported. For handlers of
 * exit(). */
void simgpu_leave_failed(void);

#endif
