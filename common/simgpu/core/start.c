#define _GNU_SOURCE
#include "core/start.h"

#include <errno.h>     /* errno */
#include <stdatomic.h> /* atomic_store */
#include <stdio.h>     /* fprintf */
#include <stdlib.h>    /* getenv, on_exit */
#include <string.h>    /* strcmp */
#include <unistd.h>    /* _exit */

#include "core/clock/clock.h"
#include "core/control.h"
#include "core/cores.h"
#include "core/heap/fault.h"
#include "core/limit.h"
#include "core/plant.h"
#include "core/report.h" /* REPORT_GRACE_US */
#include "core/schedule.h"
#include "core/stream/pending.h"
#include "core/stream/unwaited.h"
#include "core/thread.h"
#include "core/visible.h"
#include "core/watch/check.h"
#include "core/watch/leave.h"
#include "core/watch/sentry.h"
#include "core/watch/watchdog.h"
#include "core/witness.h"

/*
 * Report a bad setting before there is a control page: print a line and exit. A
 * rank that exits while others start can take MPICH's proxy with it, and output
 * that the proxy has not passed on is lost. Hence the pause. Ranks mostly have
 * the same settings: the others leave the line to rank 0, whose exit ends them,
 * and print it only if rank 0 continues.
 */
static _Noreturn void bad_setting(const char *name, const char *value,
                                  const char *why)
{
    // without PMI_FD, no launcher would end this process
    const char *const rank = getenv("PMI_FD") ? getenv("PMI_RANK") : NULL;
    if (rank && strtol(rank, NULL, 10) > 0)
        usleep(20 * REPORT_GRACE_US);
    fprintf(stderr, "simgpu: %s=%s: %s\n", name, value, why);
    if (rank)
        usleep(REPORT_GRACE_US);
    _exit(PROC_EXIT_FAULT);
}

/* A number less than `limit` from the launcher's environment; `otherwise` if
 * the variable is unset. */
static uint32_t from_launcher(const char *name, uint32_t otherwise,
                              uint32_t limit)
{
    const char *const text = getenv(name);
    if (!text || !*text)
        return otherwise;
    char *end;
    const unsigned long number = strtoul(text, &end, 10);
    if (*end || text[0] == '-' || number >= limit)
        bad_setting(name, text,
                    "mpirun sets it to a rank, or to the number of ranks: "
                    "unset it, or use mpirun");
    return (uint32_t)number;
}

static void warn(void *user, const char *line)
{
    (void)user;
    fprintf(stderr, "simgpu: SIMGPU_TOPO: %s\n", line);
}

static void load_machine(struct proc *self)
{
    const char *const name = getenv("SIMGPU_TOPO");
    char err[512];
    self->topo = topo_load(name && *name ? name : "dgx-h100", err, sizeof err);
    if (!self->topo)
        bad_setting("SIMGPU_TOPO", name ? name : "dgx-h100", err);
    topo_settings(self->topo, environ, NULL, NULL);
    if (self->rank == 0)
        topo_warnings(self->topo, warn, NULL);
    self->costs = topo_costs(self->topo);
    const int per_node = topo_ngpus(self->topo) / topo_nnodes(self->topo);
    self->node = (int)self->rank / per_node % topo_nnodes(self->topo);
    self->local_rank = (int)self->rank % per_node;
    self->ndevices =
        visible_devices(getenv("CUDA_VISIBLE_DEVICES"), self->node * per_node,
                        per_node, self->place);
}

static void read_settings(void)
{
    const char *const schedule = getenv("SIMGPU_SCHEDULE");
    if (schedule && schedule_set(schedule) != 0)
        bad_setting("SIMGPU_SCHEDULE", schedule,
                    "use eager, late or random:SEED with a number");
    const char *const cores = getenv("SIMGPU_CORES");
    if (cores && cores_set(cores) != 0)
        bad_setting("SIMGPU_CORES", cores,
                    "use a number of cores from 1 to 64: those that a kernel's "
                    "blocks may run on");
    char err[512];
    const char *const fault = getenv("SIMGPU_FAULT");
    if (fault && plant_start(fault, err, sizeof err) != 0)
        bad_setting("SIMGPU_FAULT", fault, err);
    if (check_start() != 0)
        bad_setting("SIMGPU_CHECK", getenv("SIMGPU_CHECK"),
                    "use 1 to look for hazards at the end, or 0");
}

static void begin_graph(struct proc *self)
{
    const char *const dir = getenv("SIMGPU_GRAPH");
    const char *const record = getenv("SIMGPU_RECORD");
    char hint[LIMIT_HINT];
    self->graph =
        graph_open(self->rank, self->nranks, dir && *dir ? dir : NULL);
    if (!self->graph) {
        fprintf(stderr, "simgpu: cannot make the execution graph: %m%s\n",
                simgpu_limit_hint(errno, hint, sizeof hint));
        _exit(PROC_EXIT_FAULT);
    }
    if (dir && *dir && witness_open(dir, self->rank) != 0) {
        fprintf(stderr, "simgpu: cannot join the recorder: %m\n");
        _exit(PROC_EXIT_FAULT);
    }
    graph_note_machine(self->graph, topo_name(self->topo));
    if (record && !strcmp(record, "off"))
        graph_mute(self->graph); // only for tests/bench/recording.sh
}

static void at_exit(int status, void *unused)
{
    (void)unused;
    leave_note(status);
    unwaited_flush();
    check_before_exit();
    pending_end();
    graph_save(simgpu_proc()->graph);
    atomic_store(&control_own()->state, CONTROL_EXITED);
    check_exit();
}

void core_start(struct proc *self)
{
    enum { MAX_RANKS = 1 << 16 };
    self->nranks = from_launcher("PMI_SIZE", 1, MAX_RANKS + 1);
    self->rank = from_launcher("PMI_RANK", 0, self->nranks);
    load_machine(self);
    read_settings();
    begin_graph(self);
    plant_begin(self, clock_host_ps);
    control_create(self->rank);
    self->id = control_id();
    memcpy(control_own()->place, self->place, sizeof self->place);
    control_own()->graph_fd = graph_fd(self->graph);
    sentry_meet();
    fault_start();
    thread_enter(); // from now on the watchdog may wait for this thread
    watchdog_start();
    on_exit(at_exit, NULL);
}
