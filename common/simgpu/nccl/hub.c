/*
 * hub.c: what the ranks of a communicator share: its layout, and meetings
 */
#include "nccl/comm.h"

/* ---- the hub's layout ------------------------------------------------------------ */

static size_t slots_at(int n)
{
    return (sizeof(struct hub) + n * sizeof(struct member) + 63) & ~63ul;
}

static size_t posts_at(int n)
{
    return slots_at(n) + COMM_SLOTS * sizeof(struct slot);
}

static size_t channels_at(int n)
{
    return posts_at(n) + (size_t)COMM_SLOTS * n * sizeof(struct post);
}

size_t comm_hub_nbytes(int n)
{
    return channels_at(n) + (size_t)n * n * sizeof(struct channel);
}

struct slot *comm_slot(const struct ncclComm *c, uint64_t seq)
{
    struct slot *const first =
        (struct slot *)((char *)c->hub + slots_at(c->nranks));
    return &first[seq % COMM_SLOTS];
}

struct post *comm_post(const struct ncclComm *c, uint64_t seq, int rank)
{
    struct post *const first =
        (struct post *)((char *)c->hub + posts_at(c->nranks));
    return &first[seq % COMM_SLOTS * c->nranks + rank];
}

struct channel *comm_channel(const struct ncclComm *c, int from, int to)
{
    struct channel *const first =
        (struct channel *)((char *)c->hub + channels_at(c->nranks));
    return &first[(size_t)from * c->nranks + to];
}

uint64_t comm_key(const struct ncclComm *c, uint64_t kind, uint64_t seq)
{
    uint64_t x = c->uid ^ (kind + 1) * 0x9e3779b97f4a7c15u;
    x += (seq + 1) * 0xd1342543de82ef95u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u; // splitmix64's finaliser
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return x ? x : 1;
}

/* ---- meetings ---------------------------------------------------------------------- */

/* Sleep until *word is at least `enough`. */
void comm_wait_at_least(_Atomic uint32_t *word, uint32_t enough,
                        const struct wait_note *note)
{
    for (;;) {
        const uint32_t seen = atomic_load(word);
        if ((int32_t)(seen - enough) >= 0)
            return;
        proc_wait(word, seen, note);
    }
}

void comm_enter(struct ncclComm *c, uint64_t seq, const struct wait_note *note)
{
    comm_wait_at_least(&comm_slot(c, seq)->generation,
                       (uint32_t)(seq / COMM_SLOTS), note);
}

int comm_arrive(struct ncclComm *c, uint64_t seq)
{
    return atomic_fetch_add(&comm_slot(c, seq)->arrived, 1) + 1 ==
           (uint32_t)c->nranks;
}

void comm_meet(struct ncclComm *c, uint64_t seq, const struct wait_note *note)
{
    struct slot *const s = comm_slot(c, seq);
    if (comm_arrive(c, seq))
        proc_wake(&s->arrived);
    else
        comm_wait_at_least(&s->arrived, (uint32_t)c->nranks, note);
}

void comm_wait_end(struct ncclComm *c, uint64_t seq,
                   const struct wait_note *note)
{
    comm_enter(c, seq + COMM_SLOTS, note); // the slot's next generation
}

void comm_leave(struct ncclComm *c, uint64_t seq)
{
    struct slot *const s = comm_slot(c, seq);
    if (atomic_fetch_add(&s->finished, 1) + 1 == (uint32_t)c->nranks)
        comm_end(c, seq);
}

void comm_end(struct ncclComm *c, uint64_t seq)
{
    struct slot *const s = comm_slot(c, seq);
    atomic_store(&s->arrived, 0);
    atomic_store(&s->finished, 0);
    atomic_fetch_add(&s->generation, 1);
    proc_wake(&s->generation);
}
