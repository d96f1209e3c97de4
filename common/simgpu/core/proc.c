#define _GNU_SOURCE
#include "core/proc.h"

#include <errno.h>   /* errno */
#include <pthread.h> /* pthread_once */
#include <stdarg.h>  /* va_list */
#include <stdio.h>   /* fprintf */
#include <stdlib.h>  /* getenv, atexit */
#include <string.h>  /* strchr */
#include <unistd.h>  /* _exit */

#include "core/check.h"
#include "core/page.h"
#include "core/start.h"
#include "graph/site.h"

/* The one documented per-process state of simgpu's core. */
static struct proc self;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Before there is a control page, a fault is a line and an exit. */
static _Noreturn void bad_setting(const char *name, const char *value,
                                  const char *why)
{
    fprintf(stderr, "simgpu: %s=%s: %s\n", name, value, why);
    _exit(PROC_EXIT_FAULT);
}

/* A number from the launcher's environment, below `limit`; `otherwise` if there
 * is none. */
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
                    "mpirun sets it to the number of a rank, or of "
                    "ranks: unset it, or use mpirun");
    return (uint32_t)number;
}

static void load_machine(void)
{
    const char *const name = getenv("SIMGPU_TOPO");
    char err[512];
    self.topo = topo_load(name && *name ? name : "dgx-h100", err, sizeof err);
    if (!self.topo)
        bad_setting("SIMGPU_TOPO", name ? name : "dgx-h100", err);
    self.costs = topo_costs(self.topo);
    const int per_node = topo_ngpus(self.topo) / topo_nnodes(self.topo);
    self.node = (int)self.rank / per_node % topo_nnodes(self.topo);
    self.local_rank = (int)self.rank % per_node;
    self.ndevices = per_node;
    self.first_device = self.node * per_node;
}

static void at_exit(void)
{
    check_before_exit();
    graph_save(self.graph);
    atomic_store(&page_own()->state, PAGE_EXITED);
    check_exit();
}

static void start(void)
{
    enum { MAX_RANKS = 1 << 16 };
    self.nranks = from_launcher("PMI_SIZE", 1, MAX_RANKS + 1);
    self.rank = from_launcher("PMI_RANK", 0, self.nranks);
    load_machine();
    const char *const schedule = getenv("SIMGPU_SCHEDULE");
    if (schedule && schedule_set(schedule) != 0)
        bad_setting("SIMGPU_SCHEDULE", schedule,
                    "use eager, late or random:SEED with a number");
    if (check_start() != 0)
        bad_setting("SIMGPU_CHECK", getenv("SIMGPU_CHECK"),
                    "use 1 to look for hazards at the end, or 0");
    const char *const dir = getenv("SIMGPU_GRAPH");
    self.graph = graph_open(self.rank, self.nranks, dir && *dir ? dir : NULL);
    if (!self.graph)
        bad_setting("memfd", "graph", strerror(errno));
    graph_note_machine(self.graph, topo_name(self.topo));
    if (getenv("SIMGPU_RECORD") && !strcmp(getenv("SIMGPU_RECORD"), "off"))
        graph_mute(self.graph); // only for tests/bench/recording.sh
    page_create(self.rank);
    self.id = page_id();
    page_own()->graph_fd = graph_fd(self.graph);
    heap_start();
    wait_start_watchdog();
    atexit(at_exit);
}

const struct proc *proc(void)
{
    pthread_once(&once, start);
    return &self;
}

int proc_started(void)
{
    return page_own() != NULL;
}

int32_t proc_place(int device)
{
    return device == -1 ? GRAPH_HOST_PLACE(self.node)
                        : self.first_device + device;
}

uint32_t proc_site(const void *return_address)
{
    return graph_site(proc()->graph, return_address);
}

const char *proc_site_text(uint32_t site, char *out, size_t nbytes)
{
    return graph_site_text(proc()->graph, site, out, nbytes);
}

void proc_locate(const void *return_address, struct proc_place_in_code *out)
{
    site_locate(return_address, out->module, sizeof out->module, &out->offset);
}

const char *proc_locate_text(const struct proc_place_in_code *where, char *out,
                             size_t nbytes)
{
    return site_text(where->module, where->offset, out, nbytes);
}

/* ---- threads --------------------------------------------------------------- */

static _Atomic uint32_t nthreads;
static _Thread_local uint32_t thread_number; /* + 1; UINT32_MAX: a worker */
static pthread_key_t thread_key;             /* for its destructor */
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

static void thread_ended(void *unused)
{
    (void)unused;
    page_active(-1);
}

static void make_key(void)
{
    pthread_key_create(&thread_key, thread_ended);
}

uint32_t proc_thread(void)
{
    if (thread_number == 0) {
        proc();
        pthread_once(&key_once, make_key);
        pthread_setspecific(thread_key, &self);
        thread_number = ++nthreads;
        page_active(+1);
        heap_thread_start();
    }
    return thread_number - 1;
}

void proc_become_worker(void)
{
    thread_number = UINT32_MAX;
    heap_thread_start();
}

uint32_t proc_thread_or_worker(void)
{
    return thread_number == UINT32_MAX ? UINT32_MAX : proc_thread();
}

/* ---- reports --------------------------------------------------------------- */

/* Each line of text with the rank before it, in one write. */
static void print(const char *text)
{
    char out[32768];
    size_t at = 0;
    while (*text && at < sizeof out - 64) {
        const char *const eol = strchrnul(text, '\n');
        at += (size_t)snprintf(out + at, sizeof out - at,
                               "simgpu: rank %u: %.*s\n", self.rank,
                               (int)(eol - text), text);
        text = *eol ? eol + 1 : eol;
    }
    if (at > sizeof out - 1)
        at = sizeof out - 1;
    const ssize_t written = write(STDERR_FILENO, out, at);
    (void)written; // nothing can be done about it
}

void proc_fault(const char *key, const char *format, ...)
{
    char text[24576];
    const int saved = errno; // for %m
    va_list args;
    va_start(args, format);
    errno = saved;
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!page_own() || !key || page_claim(key))
        print(text);
    else
        usleep(PROC_GRACE_US); // who ends first ends the job: let it be said
    if (page_own())
        page_lose_all();
    _exit(PROC_EXIT_FAULT);
}

void proc_warn(uint32_t site, const char *format, ...)
{
    enum { MAX = 64 };
    static _Atomic uint64_t seen[MAX]; // (site, format) pairs already said
    char text[2048], where[256];
    const uint64_t id = ((uintptr_t)format << 16 ^ site) | 1;
    for (int i = 0; i < MAX; i++) {
        uint64_t free_slot = 0;
        if (atomic_compare_exchange_strong(&seen[i], &free_slot, id))
            break;
        if (free_slot == id)
            return;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char line[2400];
    snprintf(line, sizeof line, "warning: %s: %s",
             graph_site_text(self.graph, site, where, sizeof where), text);
    print(line);
}
