#include "core/watch/leave.h"

#include <stdatomic.h> /* atomic_load */
#include <stdio.h>     /* fflush */
#include <unistd.h>    /* getpid */

#include "core/called.h"
#include "core/control.h"
#include "core/report.h"
#include "core/watch/keeper.h"

static struct {
    int is_noted, status;
    int has_failed; /* what went wrong has been reported */
} left;

void leave_note(int status)
{
    left.is_noted = 1;
    left.status = status;
}

/* True if this process is one of several ranks, and mpirun takes its end for a
 * failure. */
static int breaks_off(const struct control *own)
{
    // a child process has its parent's page
    return simgpu_proc()->nranks > 1 && !keeper_is_there() &&
           simgpu_proc()->id.pid == getpid() && atomic_load(&own->in_mpi) &&
           !atomic_load(&own->ends_job) && !atomic_load(&own->lost);
}

void simgpu_leave_failed(void)
{
    left.has_failed = 1;
}

static void report(const struct control *own)
{
    char called[512];
    simgpu_report_once(
        "leave",
        "rank %u ends with exit status %d, but without MPI_Finalize: mpirun "
        "then kills the\nother ranks. %s\nCall MPI_Finalize() on every rank "
        "before it returns from main() or calls exit(); to end\nall ranks "
        "because of an error, call MPI_Abort().",
        own->rank, left.status, called_text(own, called, sizeof called));
}

__attribute__((destructor)) static void leave(void)
{
    const struct control *const own = control_own();
    if (!left.has_failed) {
        if (!left.is_noted || !breaks_off(own))
            return;
        report(own);
    }
    if (left.status != 0)
        return;
    fflush(NULL); // _exit() would drop what the program printed
    _exit(PROC_EXIT_FAULT);
}
