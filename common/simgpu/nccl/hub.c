#define _GNU_SOURCE
#include "nccl/hub.h"

#include <errno.h>      /* errno */
#include <fcntl.h>      /* O_RDWR */
#include <limits.h>     /* INT_MAX */
#include <stdio.h>      /* snprintf */
#include <sys/mman.h>   /* memfd_create */
#include <sys/random.h> /* getrandom */
#include <unistd.h>     /* ftruncate */

#include "core/limit.h"
#include "core/report.h"

/* ---- layout -------------------------------------------------------------- */

static size_t slots_at(int n)
{
    const size_t end = sizeof(struct hub) + n * sizeof(struct hub_member);
    return (end + 63) & ~(size_t)63;
}

static size_t posts_at(int n)
{
    return slots_at(n) + HUB_SLOTS * sizeof(struct hub_slot);
}

static size_t channels_at(int n)
{
    return posts_at(n) + (size_t)HUB_SLOTS * n * sizeof(struct hub_post);
}

static size_t signals_at(int n)
{
    return channels_at(n) + (size_t)n * n * sizeof(struct hub_channel);
}

static size_t nbytes_of(int n)
{
    return signals_at(n) + (size_t)n * n * HUB_SIGNALS * HUB_SIGNAL_DEPTH *
                               sizeof(struct hub_signal);
}

struct hub_slot *hub_slot(const struct hub_view *v, uint64_t seq)
{
    struct hub_slot *const first =
        (struct hub_slot *)((char *)v->hub + slots_at(v->nranks));
    return &first[seq % HUB_SLOTS];
}

struct hub_post *hub_post(const struct hub_view *v, uint64_t seq, int rank)
{
    struct hub_post *const first =
        (struct hub_post *)((char *)v->hub + posts_at(v->nranks));
    return &first[seq % HUB_SLOTS * v->nranks + rank];
}

static struct hub_channel *channel(const struct hub_view *v, int from, int to)
{
    struct hub_channel *const first =
        (struct hub_channel *)((char *)v->hub + channels_at(v->nranks));
    return &first[(size_t)from * v->nranks + to];
}

/* ---- mapping ------------------------------------------------------------- */

int hub_make(uint64_t *nonce)
{
    char hint[LIMIT_HINT];
    const int fd = memfd_create("simgpu-nccl", MFD_CLOEXEC);
    if (fd < 0 || getrandom(nonce, sizeof *nonce, 0) < 0 ||
        pwrite(fd, nonce, sizeof *nonce, 0) != sizeof *nonce)
        simgpu_report_fault(NULL, "cannot make a communicator: %m%s",
                            simgpu_limit_hint(errno, hint, sizeof hint));
    return fd;
}

int hub_map(struct hub_view *v, const struct proc_id *owner, int fd,
            uint64_t nonce)
{
    const int own_fd = simgpu_proc_open(owner->pid, fd, O_RDWR);
    if (own_fd < 0)
        return -1;
    v->nbytes = nbytes_of(v->nranks);
    uint64_t found = 0;
    const int ok = pread(own_fd, &found, sizeof found, 0) == sizeof found &&
                   found == nonce && ftruncate(own_fd, (off_t)v->nbytes) == 0;
    void *const at = ok ? mmap(NULL, v->nbytes, PROT_READ | PROT_WRITE,
                               MAP_SHARED, own_fd, 0)
                        : MAP_FAILED;
    close(own_fd);
    v->hub = at == MAP_FAILED ? NULL : at;
    v->fd = owner->pid == getpid() ? fd : -1;
    return v->hub ? 0 : -1;
}

void hub_unmap(struct hub_view *v)
{
    if (!v->hub)
        return;
    const uint32_t joined = atomic_load(&v->hub->joined) & ~HUB_LOST;
    if (v->fd >= 0 && joined == (uint32_t)v->nranks &&
        atomic_exchange(&v->hub->closed, 1) == 0)
        close(v->fd);
    munmap(v->hub, v->nbytes);
    v->hub = NULL;
}

/* ---- waiting ------------------------------------------------------------- */

static int reached(uint32_t seen, uint32_t enough)
{
    return (int32_t)((seen - enough) << 1) >= 0; // 31 bits, which wrap around
}

int hub_wait(_Atomic uint32_t *word, uint32_t enough,
             const struct wait_note *note)
{
    for (;;) {
        const uint32_t seen = atomic_load(word);
        if (reached(seen, enough))
            return 0;
        if (seen & HUB_LOST)
            return -1;
        simgpu_wait(word, seen, note);
    }
}

int hub_reached(const _Atomic uint32_t *word, uint32_t enough)
{
    const uint32_t seen = atomic_load(word);
    return reached(seen, enough) ? 1 : seen & HUB_LOST ? -1 : 0;
}

static void ring(const struct hub_view *v, int rank)
{
    struct hub_member *const m = &v->hub->member[rank];
    if (atomic_load(&m->ears) == 0)
        return;
    atomic_fetch_add(&m->bell, 1);
    simgpu_wake(&m->bell);
}

static void lose(_Atomic uint32_t *word)
{
    atomic_fetch_or(word, HUB_LOST);
    simgpu_wake(word);
}

static void blame(struct hub_culprit *c, int rank, const char *did,
                  uint32_t site)
{
    uint32_t none = 0;
    if (!atomic_compare_exchange_strong(&c->rank, &none, (uint32_t)rank + 1))
        return;
    snprintf(c->did, sizeof c->did, "%s", did);
    simgpu_site_locate(site, &c->site);
    atomic_store(&c->known, 1);
}

const char *hub_culprit_text(const struct hub_view *v, char *out, size_t nbytes)
{
    char site[256];
    const struct hub_culprit *const c = &v->hub->culprit;
    const uint32_t rank = atomic_load(&c->rank) - 1;
    if (atomic_load(&c->known) && c->site.ncalls == 0)
        snprintf(out, nbytes, "rank %u %s", rank, c->did);
    else if (atomic_load(&c->known))
        snprintf(out, nbytes, "rank %u %s at %s", rank, c->did,
                 simgpu_site_location_text(&c->site, site, sizeof site));
    else
        snprintf(out, nbytes, "a rank has aborted it");
    return out;
}

void hub_abort(const struct hub_view *v, const char *did, uint32_t site)
{
    blame(&v->hub->culprit, v->rank, did, site);
    lose(&v->hub->joined);
    for (int i = 0; i < HUB_SLOTS; i++)
        lose(&hub_slot(v, (uint64_t)i)->state);
    for (int from = 0; from < v->nranks; from++)
        for (int to = 0; to < v->nranks; to++)
            for (uint32_t i = 0; i < HUB_DEPTH; i++)
                lose(&hub_message(v, from, to, i)->turn);
    for (int i = 0; i < 2 * v->nranks * v->nranks; i++)
        lose(hub_end(v, i / 2 / v->nranks, i / 2 % v->nranks, i % 2));
    for (int rank = 0; rank < v->nranks; rank++) {
        lose(&v->hub->member[rank].signals);
        for (int a = 0; a < HUB_ALGORITHMS; a++)
            lose(&v->hub->member[rank].connects[a]);
        ring(v, rank);
    }
}

int hub_lost(const struct hub_view *v)
{
    return (atomic_load(&v->hub->joined) & HUB_LOST) != 0;
}

/* ---- rendezvous ---------------------------------------------------------- */

static uint32_t generation(uint64_t seq)
{
    return (uint32_t)(seq / HUB_SLOTS) & 0x3fffffffu;
}

int hub_enter(const struct hub_view *v, uint64_t seq,
              const struct wait_note *note)
{
    return hub_wait(&hub_slot(v, seq)->state, 2 * generation(seq), note);
}

int hub_arrive(const struct hub_view *v, uint64_t seq)
{
    return atomic_fetch_add(&hub_slot(v, seq)->arrived, 1) + 1 ==
           (uint32_t)v->nranks;
}

void hub_open(const struct hub_view *v, uint64_t seq, int helpers)
{
    struct hub_slot *const s = hub_slot(v, seq);
    // no rank arrives here again before this rendezvous has ended
    atomic_store(&s->arrived, 0);
    atomic_store(&s->done, 0);
    atomic_store(&s->next, (uint64_t)generation(seq) << 32);
    atomic_fetch_add(&s->state, 1);
    if (helpers > 0)
        simgpu_wake_some(&s->state, helpers);
}

int hub_wait_open(const struct hub_view *v, uint64_t seq,
                  const struct wait_note *note)
{
    return hub_wait(&hub_slot(v, seq)->state, 2 * generation(seq) + 1, note);
}

int hub_is_open(const struct hub_view *v, uint64_t seq)
{
    return reached(atomic_load(&hub_slot(v, seq)->state),
                   2 * generation(seq) + 1);
}

int64_t hub_claim(const struct hub_view *v, uint64_t seq, uint32_t npieces)
{
    struct hub_slot *const s = hub_slot(v, seq);
    uint64_t next = atomic_load(&s->next);
    // the slot may already belong to a later rendezvous
    do {
        if (next >> 32 != generation(seq) || (uint32_t)next >= npieces)
            return -1;
    } while (!atomic_compare_exchange_weak(&s->next, &next, next + 1));
    return (uint32_t)next;
}

void hub_done(const struct hub_view *v, uint64_t seq, uint32_t npieces)
{
    struct hub_slot *const s = hub_slot(v, seq);
    if (atomic_fetch_add(&s->done, 1) + 1 < npieces)
        return;
    atomic_fetch_add(&s->state, 1); // the next generation of the slot
    simgpu_wake(&s->state);
}

void hub_wait_end(const struct hub_view *v, uint64_t seq,
                  const struct wait_note *note)
{
    _Atomic uint32_t *const state = &hub_slot(v, seq)->state;
    // Waits even if the communicator is lost: an open rendezvous always
    // completes.
    for (;;) {
        const uint32_t seen = atomic_load(state);
        if (reached(seen, 2 * generation(seq) + 2))
            return;
        simgpu_wait(state, seen, note);
    }
}

/* ---- messages ------------------------------------------------------------ */

_Atomic uint32_t *hub_end(const struct hub_view *v, int from, int to,
                          int receiver)
{
    return &channel(v, from, to)->end[receiver];
}

struct hub_message *hub_message(const struct hub_view *v, int from, int to,
                                uint32_t number)
{
    return &channel(v, from, to)->ring[number % HUB_DEPTH];
}

void hub_advance(const struct hub_view *v, struct hub_message *m, int peer)
{
    atomic_fetch_add(&m->turn, 1);
    simgpu_wake(&m->turn);
    ring(v, peer);
}

uint32_t hub_listen(const struct hub_view *v)
{
    atomic_fetch_add(&v->hub->member[v->rank].ears, 1);
    return atomic_load(hub_bell(v));
}

void hub_ignore(const struct hub_view *v)
{
    atomic_fetch_sub(&v->hub->member[v->rank].ears, 1);
}

_Atomic uint32_t *hub_bell(const struct hub_view *v)
{
    return &v->hub->member[v->rank].bell;
}

/* ---- new hubs ------------------------------------------------------------ */

void hub_make_offer(const struct hub_view *v, uint64_t key,
                    const struct hub_offer *offer)
{
    struct hub_offer *const mine = &v->hub->member[v->rank].offer;
    mine->owner = offer->owner;
    mine->fd = offer->fd;
    mine->nonce = offer->nonce;
    atomic_store(&mine->key, key);
    atomic_fetch_add(&v->hub->offers, 1);
    simgpu_wake(&v->hub->offers);
}

int hub_find_offer(const struct hub_view *v, uint64_t key,
                   struct hub_offer *out)
{
    for (int r = 0; r < v->nranks; r++) {
        struct hub_offer *const o = &v->hub->member[r].offer;
        if (atomic_load(&o->key) != key)
            continue;
        out->owner = o->owner;
        out->fd = o->fd;
        out->nonce = o->nonce;
        return 1;
    }
    return 0;
}

/* ---- signals ------------------------------------------------------------- */

static struct hub_signal *signal_of(const struct hub_view *v, int from, int to,
                                    int kind, uint32_t number)
{
    struct hub_signal *const first =
        (struct hub_signal *)((char *)v->hub + signals_at(v->nranks));
    const size_t pair = (size_t)from * (size_t)v->nranks + (size_t)to;
    return &first[(pair * HUB_SIGNALS + (size_t)kind) * HUB_SIGNAL_DEPTH +
                  number % HUB_SIGNAL_DEPTH];
}

void hub_post_signal(const struct hub_view *v, int to, int kind,
                     uint32_t number, struct graph_ref from)
{
    struct hub_signal *const s = signal_of(v, v->rank, to, kind, number);
    _Atomic uint32_t *const count = &v->hub->member[to].signals;
    s->from = from;
    atomic_store(&s->number, number + 1);
    atomic_fetch_add(count, 1);
    simgpu_wake(count);
}

int hub_find_signal(const struct hub_view *v, int from, int kind,
                    uint32_t number, struct graph_ref *sender)
{
    struct hub_signal *const s = signal_of(v, from, v->rank, kind, number);
    const uint32_t seen = atomic_load(&s->number);
    if ((int32_t)(seen - (number + 1)) < 0)
        return 0;
    *sender = s->from;
    if (seen != number + 1 || atomic_load(&s->number) != number + 1)
        sender->index = 0;
    return 1;
}
