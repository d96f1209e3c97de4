#define _GNU_SOURCE
#include "core/heap/resident.h"

#include <link.h>    /* dl_iterate_phdr */
#include <pthread.h> /* pthread_mutex_t */
#include <stdlib.h>  /* calloc */
#include <string.h>  /* memcpy */

#include "core/heap/variables.h"
#include "core/report.h"

struct own { /* a variable; simnvcc/direct.c writes these two members */
    char *at;
    unsigned long nbytes;
};

struct copies {
    struct own of;
    int is_loaded;                /* found again by update() */
    char *initial;                /* value */
    char *copy[PROC_MAX_DEVICES]; /* NULL: the device has not been resident */
};

static struct copies *known; /* in the order in which they were found */
static size_t nknown;
static unsigned long long nloads; /* modules loaded when the list was made */
static int resident;              /* a device */
static int nusers, nwaiting;
static unsigned nmoves;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* ---- finding the variables ----------------------------------------------- */

static char *new_copy(const struct own *of)
{
    return simgpu_need(malloc(of->nbytes), "another device's %lu bytes of %s",
                       of->nbytes, "a __device__ variable");
}

static struct copies *find(const char *p)
{
    for (size_t i = 0; i < nknown; i++)
        if (p >= known[i].of.at && p < known[i].of.at + known[i].of.nbytes)
            return &known[i];
    return NULL;
}

/* True if the module has loaded these bytes so that they can be written. */
static int is_writable(const struct dl_phdr_info *m, const char *p)
{
    int is = 0;
    for (int i = 0; i < m->dlpi_phnum; i++) {
        const ElfW(Phdr) *const h = &m->dlpi_phdr[i];
        const uintptr_t begin = m->dlpi_addr + h->p_vaddr;
        if ((uintptr_t)p < begin || (uintptr_t)p - begin >= h->p_memsz)
            continue;
        if (h->p_type == PT_GNU_RELRO)
            return 0;
        is |= h->p_type == PT_LOAD && h->p_flags & PF_W;
    }
    return is;
}

/* What is there now is the initial value: nothing has entered before. */
static void add(const struct dl_phdr_info *m, const struct own *of)
{
    struct copies *const old = find(of->at);
    if (old)
        old->is_loaded = 1;
    if (!of->nbytes || old || !is_writable(m, of->at))
        return;
    known = realloc(known, (nknown + 1) * sizeof *known);
    if (!known)
        simgpu_report_fault(NULL, "out of host memory for __device__ "
                                  "variables");
    struct copies *const c = &known[nknown++];
    *c = (struct copies){.of = *of, .is_loaded = 1};
    if (simgpu_proc()->ndevices > 1) {
        c->initial = new_copy(of);
        memcpy(c->initial, of->at, of->nbytes);
    }
}

static int look_at_module(struct dl_phdr_info *m, size_t nbytes, void *arg)
{
    const char *const path = *m->dlpi_name ? m->dlpi_name : "/proc/self/exe";
    uint64_t address;
    (void)nbytes;
    (void)arg;
    const struct variables *const v = variables_of(path);
    const size_t n = v ? variables_own(v, &address) / sizeof(struct own) : 0;
    for (size_t i = 0; i < n; i++)
        add(m, (const struct own *)(m->dlpi_addr + address) + i);
    return 0;
}

static int count_loads(struct dl_phdr_info *m, size_t nbytes, void *arg)
{
    (void)nbytes;
    *(unsigned long long *)arg = m->dlpi_adds + m->dlpi_subs;
    return 1; // the first module tells
}

static void forget(struct copies *c)
{
    free(c->initial);
    for (int i = 0; i < PROC_MAX_DEVICES; i++)
        free(c->copy[i]);
}

/* Add the variables of modules that have been loaded, and forget those of
 * others. The caller must hold the lock. */
static void update(void)
{
    unsigned long long n = 0;
    size_t kept = 0;
    dl_iterate_phdr(count_loads, &n);
    if (n == nloads)
        return;
    nloads = n;
    for (size_t i = 0; i < nknown; i++)
        known[i].is_loaded = 0;
    dl_iterate_phdr(look_at_module, NULL);
    for (size_t i = 0; i < nknown; i++) {
        if (known[i].is_loaded)
            known[kept++] = known[i];
        else
            forget(&known[i]);
    }
    nknown = kept;
}

int resident_find(const void *p, const char **begin, const char **end)
{
    pthread_mutex_lock(&lock);
    update();
    const struct copies *const c = find(p);
    *begin = c ? c->of.at : NULL;
    *end = c ? c->of.at + c->of.nbytes : NULL;
    pthread_mutex_unlock(&lock);
    return c != NULL;
}

/* ---- changing places ----------------------------------------------------- */

static void move_to(int device)
{
    for (size_t i = 0; i < nknown; i++) {
        struct copies *const c = &known[i];
        const char *const now = c->copy[device] ? c->copy[device] : c->initial;
        if (!c->copy[resident])
            c->copy[resident] = new_copy(&c->of);
        memcpy(c->copy[resident], c->of.at, c->of.nbytes);
        memcpy(c->of.at, now, c->of.nbytes);
    }
    resident = device;
    nmoves++;
}

/* The caller must hold the lock. */
static void enter(int device)
{
    while (resident != device && nusers > 0) {
        nwaiting++;
        pthread_cond_wait(&changed, &lock);
        nwaiting--;
    }
    if (resident != device)
        move_to(device);
    nusers++;
}

static void leave(void)
{
    if (--nusers == 0)
        pthread_cond_broadcast(&changed);
}

void simgpu_resident_enter(int device)
{
    if (device < 0)
        return;
    pthread_mutex_lock(&lock);
    update();
    enter(device);
    pthread_mutex_unlock(&lock);
}

void simgpu_resident_leave(int device)
{
    if (device < 0)
        return;
    pthread_mutex_lock(&lock);
    leave();
    pthread_mutex_unlock(&lock);
}

void resident_yield(int device)
{
    pthread_mutex_lock(&lock);
    const unsigned before = nmoves;
    if (nwaiting > 0) {
        leave();
        while (nwaiting > 0 && nmoves == before)
            pthread_cond_wait(&changed, &lock);
        enter(device);
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
}
