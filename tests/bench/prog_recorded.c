/* links: grader judges nnref judge graph topo base
 * Runs a program on simgpu whose ranks hand their graphs to a recorder, as a
 * graded run does, for what that costs: prog_recorded RANKS COMMAND...
 * What it recorded stays in a folder of $TMPDIR.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/temp.h"
#include "grader/recorder/recorder.h"

static _Noreturn void stop(const char *what, const char *why)
{
    fprintf(stderr, "recorded: %s: %s\n", what, why);
    exit(1);
}

/* Its status; 127: it could not be started. */
static int run(char **argv)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        execvp(argv[0], argv);
        _exit(127);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
    char dir[PATH_MAX], seen[PATH_MAX + 8], kept[PATH_MAX + 8];
    struct recorder_end end;
    const struct recorder_job job = {.seen = seen,
                                     .kept = kept,
                                     .nranks = argc > 2 ? atoi(argv[1]) : 0,
                                     .graphs = 1};
    if (job.nranks < 1)
        stop("usage", "prog_recorded RANKS COMMAND...");
    if (!mkdtemp(temp_path(dir, sizeof dir, "commlab-recorded")))
        stop(dir, "cannot be made");
    snprintf(seen, sizeof seen, "%s/seen", dir);
    snprintf(kept, sizeof kept, "%s/kept", dir);
    struct recorder *const r = mkdir(seen, 0700) == 0 && mkdir(kept, 0700) == 0
                                   ? recorder_start(&job)
                                   : NULL;
    if (!r)
        stop(dir, "nothing can be recorded there");
    setenv("SIMGPU_GRAPH", seen, 1);
    const int status = run(argv + 2);
    recorder_stop(r, &end);
    if (end.failed[0] || end.forged[0])
        stop("the recorder", end.failed[0] ? end.failed : end.forged);
    return status;
}
