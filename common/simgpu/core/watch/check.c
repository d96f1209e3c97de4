#define _GNU_SOURCE
#include "core/watch/check.h"

#include <dlfcn.h>   /* dladdr */
#include <pthread.h> /* pthread_mutex_t */
#include <stdarg.h>  /* va_list */
#include <stdio.h>   /* fprintf */
#include <stdlib.h>  /* getenv */
#include <string.h>  /* strcmp */
#include <unistd.h>  /* _exit */

#include "core/heap/heap.h"
#include "core/peer.h"
#include "core/report.h"
#include "core/site.h"
#include "core/stream/stream.h"
#include "core/thread.h"
#include "core/watch/ignored.h"
#include "graph/hazard/hazard.h"

enum { MAX_PRINTED = 20, MAX_SITES = 64 };

/* Set at start, and when the processes have exchanged their ids. */
static struct {
    int enabled, met;
    int *graph_fd;         /* by rank; -1: out of reach */
    struct control *board; /* the page that counts ended processes */
} check;

int check_start(void)
{
    const char *const text = getenv("SIMGPU_CHECK");
    check.enabled = text && strcmp(text, "1") == 0;
    if (check.enabled)
        ignored_start();
    return text && *text && !check.enabled && strcmp(text, "0") != 0 ? -1 : 0;
}

int simgpu_check_is_on(void)
{
    return check.enabled;
}

static void note(uint32_t site, int warning, const char *format, va_list args)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    graph_note_fault(simgpu_proc()->graph, 0, site, warning, text);
}

void simgpu_check_note(uint32_t site, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    note(site, 0, format, args);
    va_end(args);
}

void simgpu_check_warn(uint32_t site, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    note(site, 1, format, args);
    va_end(args);
}

void check_note_bounds(uint32_t site, const char *call, const char *verb,
                       const void *p, size_t nbytes)
{
    char where[256], what[512], excess[64] = "";
    struct heap_block b;
    const int alive = simgpu_heap_find(p, &b) == 0;
    if (!b.base)
        return;
    const size_t left = (size_t)(b.base + b.nbytes - (const char *)p);
    if (alive && nbytes <= left)
        return;
    if (alive)
        snprintf(excess, sizeof excess, ": %zu byte%s past its end",
                 nbytes - left, nbytes - left == 1 ? "" : "s");
    simgpu_check_note(site, "%s: %s at %s %s %zu bytes, starting at %s%s",
                      alive ? "out of bounds" : "use after free", call,
                      simgpu_site_text(site, where, sizeof where), verb, nbytes,
                      simgpu_heap_describe(p, what, sizeof what), excess);
}

int check_is_new(struct check_sites *s, uint32_t site)
{
    const int most = sizeof s->seen / sizeof *s->seen;
    int i = 0;
    pthread_mutex_lock(&s->lock);
    while (i < s->n && s->seen[i] != site)
        i++;
    const int is_new = i == s->n && s->n < most;
    if (is_new)
        s->seen[s->n++] = site;
    pthread_mutex_unlock(&s->lock);
    return is_new;
}

/* Each place is remarked on once. */
void check_remark_pageable(uint32_t site, const char *call)
{
    static struct check_sites remarked = {.lock = PTHREAD_MUTEX_INITIALIZER};
    char where[256], text[512];
    if (!check.enabled || !check_is_new(&remarked, site))
        return;
    snprintf(text, sizeof text, "%s at %s copies pageable memory", call,
             simgpu_site_text(site, where, sizeof where));
    graph_note_fault(simgpu_proc()->graph, 0, site, GRAPH_REMARK, text);
}

void check_keep_graphs(void)
{
    if (!check.enabled || check.met)
        return;
    const uint32_t n = simgpu_proc()->nranks;
    check.graph_fd = malloc(n * sizeof *check.graph_fd);
    if (!check.graph_fd)
        simgpu_report_fault(NULL,
                            "out of host memory for the graphs of %u ranks", n);
    for (uint32_t rank = 0; rank < n; rank++)
        check.graph_fd[rank] = rank == simgpu_proc()->rank
                                   ? graph_fd(simgpu_proc()->graph)
                                   : peer_open_graph(peer_find(rank));
    const struct peer *const first = peer_find(0);
    check.board = simgpu_proc()->rank == 0 ? control_own()
                  : first                  ? first->control
                                           : NULL;
    check.met = check.board != NULL;
}

/* ---- leaks --------------------------------------------------------------- */

struct leaks { /* leaked memory, by place of allocation */
    struct {
        uint32_t site, count;
        uint64_t nbytes;
    } site[MAX_SITES];
    int n;
};

static void count_leak(void *arg, const struct heap_block *b)
{
    struct leaks *const l = arg;
    int i = 0;
    while (i < l->n && l->site[i].site != b->site)
        i++;
    if (i == MAX_SITES)
        return;
    l->site[i].site = b->site;
    l->site[i].count++;
    l->site[i].nbytes += b->nbytes;
    if (i == l->n)
        l->n++;
}

static void note_leaks(void)
{
    struct leaks l = {.n = 0};
    char text[512], where[256];
    heap_each(count_leak, &l);
    for (int i = 0; i < l.n; i++) {
        snprintf(text, sizeof text,
                 "leak: %u allocation%s made at %s, %llu bytes in all, %s "
                 "never freed",
                 l.site[i].count, l.site[i].count == 1 ? "" : "s",
                 simgpu_site_text(l.site[i].site, where, sizeof where),
                 (unsigned long long)l.site[i].nbytes,
                 l.site[i].count == 1 ? "is" : "are");
        graph_note_fault(simgpu_proc()->graph, 0, l.site[i].site, 1, text);
    }
}

/* ---- at the end ---------------------------------------------------------- */

/* Print the first remark, which stands for all of them. */
static void print_remark(const struct graph *g)
{
    const char *first = NULL;
    size_t more = 0;
    for (size_t i = 0; i < g->nfaults; i++) {
        const struct graph_fault_note *const n = &g->faults[i];
        if (n->warning != GRAPH_REMARK)
            continue;
        if (!first)
            first = n->text;
        more += strcmp(n->text, first) != 0;
    }
    if (first)
        fprintf(stderr,
                "simgpu: check: note: %s%s: drivers are done with it when the "
                "call returns, but since CUDA 12 the manual (API "
                "synchronization behavior) only says that they might be. Wait "
                "for the stream before the host uses it, or allocate it with "
                "cudaMallocHost.\n",
                first, more ? ", and so do others" : "");
}

static void print(const struct graph *g, const struct hazards *found)
{
    char text[4096];
    const size_t nwarnings = found->n - found->nerrors;
    fprintf(stderr,
            "simgpu: check: %zu hazard%s, %zu warning%s in %u operations of %u "
            "rank%s\n",
            found->nerrors, found->nerrors == 1 ? "" : "s", nwarnings,
            nwarnings == 1 ? "" : "s", g->nnodes, g->nranks,
            g->nranks == 1 ? "" : "s");
    print_remark(g);
    for (int warning = 0; warning < 2; warning++) {
        size_t n = 0;
        for (size_t i = 0; i < found->n; i++) {
            if (found->hazard[i].warning != warning || ++n > MAX_PRINTED)
                continue;
            fprintf(stderr, "\n%s%s", warning ? "warning: " : "",
                    hazard_text(&found->hazard[i], text, sizeof text));
        }
        if (n > MAX_PRINTED)
            fprintf(stderr, "\n... and %zu more\n", n - MAX_PRINTED);
    }
}

/* Find the hazards of the graphs and print them. Returns
 * the number of errors. */
static size_t look(const int *fd, uint32_t nranks)
{
    char err[512];
    struct hazards found = {0};
    struct graph *const g = graph_map(fd, nranks, err, sizeof err);
    if (!g || hazards_find(g, NULL, &found, err, sizeof err) != 0)
        fprintf(stderr, "simgpu: check: %s\n", err);
    else
        print(g, &found);
    const size_t nerrors = found.nerrors;
    hazards_release(&found);
    graph_free(g);
    return nerrors;
}

static int applies(void)
{
    return check.enabled && simgpu_proc()->id.pid == getpid() &&
           thread_or_worker() != UINT32_MAX;
}

void check_before_exit(void)
{
    if (!applies())
        return;
    stream_drain_all();
    ignored_report();
    note_leaks();
}

/* True if processes know each other by other means than MPI_Init. A process's
 * graph is then meaningless without the others', which may have ended. */
static int knows_peers(void)
{
    for (const struct peer *p = peer_first(); p; p = p->next)
        if (p->control != control_own())
            return 1;
    return 0;
}

/* True if the program's MPI calls go to the MPI library directly, instead of to
 * this library, which would pass them on. */
static int is_bypassed(void)
{
    void *const init = dlsym(RTLD_DEFAULT, "MPI_Init");
    Dl_info mpi, own;
    return init && dladdr(init, &mpi) && dladdr(check_exit, &own) &&
           mpi.dli_fbase != own.dli_fbase;
}

void check_exit(void)
{
    const uint32_t n = simgpu_proc()->nranks;
    if (!applies())
        return;
    if (!check.met && is_bypassed())
        fprintf(stderr, "simgpu: check: the program's MPI calls are not seen, "
                        "nor what they order: link libcudart before the MPI "
                        "library\n");
    if (!check.met && knows_peers()) {
        fprintf(stderr, "simgpu: check: processes share memory or "
                        "communicators without MPI_Init: their graphs "
                        "are not checked\n");
        return;
    }
    if (check.met && atomic_fetch_add(&check.board->nended, 1) + 1 < n)
        return;
    int *const alone = malloc(n * sizeof *alone);
    for (uint32_t rank = 0; alone && rank < n; rank++)
        alone[rank] =
            rank == simgpu_proc()->rank ? graph_fd(simgpu_proc()->graph) : -1;
    const size_t nerrors =
        check.met || alone ? look(check.met ? check.graph_fd : alone, n) : 0;
    free(alone);
    if (nerrors == 0)
        return;
    fflush(NULL); // _exit() would drop what the program printed
    _exit(PROC_EXIT_FAULT);
}
