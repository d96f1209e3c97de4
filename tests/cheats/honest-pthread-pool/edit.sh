# Threads with a barrier and a semaphore plan the copies; one of them launches
# all. A stack of 64 MB, thread-local variables, atomics.
sed -i '/^ncclResult_t flat_take/,/^}/d' flat.c
cat >> flat.c <<'C'
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
enum { NTHREADS = 4, LARGE = 16 << 20 };
static _Thread_local size_t found;
struct team {
    struct shard *s;
    const struct shard_unit *u;
    size_t begin[NN_MAX_DEPTH];
    pthread_barrier_t all;
    sem_t ready;
    atomic_int next, err;
    int device;
};

static ncclResult_t launch(struct team *t)
{
    const size_t from = (size_t)t->s->rank * t->u->share, to = from + t->u->share;
    float *const mine = t->s->value + t->u->begin;
    LAB_TRY_CUDA(cudaSetDevice(t->device));
    LAB_TRY_CUDA(cudaMemsetAsync(mine, 0, t->u->share * sizeof *mine, t->s->compute));
    for (int i = 0; i < t->u->nlayers; i++) {
        const struct nn_param *const p = &t->s->m->param[t->u->first + i];
        const size_t at = t->begin[i], end = at + p->count;
        const size_t low = at > from ? at : from, high = end < to ? end : to;
        if (low < high)
            LAB_TRY_CUDA(cudaMemcpyAsync(mine + (low - from), p->value + (low - at), (high - low) * sizeof *mine, cudaMemcpyDeviceToDevice, t->s->compute));
    }
    return ncclSuccess;
}

static void *work(void *arg)
{
    struct team *const t = arg;
    volatile char large[LARGE]; // of a stack of 64 MB
    large[0] = large[LARGE - 1] = 1;
    for (int i; (i = atomic_fetch_add(&t->next, 1)) < t->u->nlayers; sched_yield()) {
        found = 0;
        for (int k = 0; k < i; k++)
            found += t->s->m->param[t->u->first + k].count;
        t->begin[i] = found;
    }
    if (pthread_barrier_wait(&t->all) == PTHREAD_BARRIER_SERIAL_THREAD) {
        atomic_store(&t->err, (int)launch(t));
        sem_post(&t->ready);
    }
    return NULL;
}

ncclResult_t flat_take(struct shard *s, int unit)
{
    struct team t = {.s = s, .u = &s->plan.unit[unit]};
    pthread_t id[NTHREADS];
    pthread_attr_t a;
    LAB_TRY_CUDA(cudaGetDevice(&t.device));
    pthread_attr_init(&a);
    pthread_attr_setstacksize(&a, (size_t)64 << 20);
    pthread_barrier_init(&t.all, NULL, NTHREADS);
    sem_init(&t.ready, 0, 0);
    for (int i = 0; i < NTHREADS; i++)
        if (pthread_create(&id[i], &a, work, &t) != 0)
            return ncclSystemError;
    sem_wait(&t.ready);
    for (int i = 0; i < NTHREADS; i++)
        pthread_join(id[i], NULL);
    sem_destroy(&t.ready);
    pthread_barrier_destroy(&t.all);
    pthread_attr_destroy(&a);
    return (ncclResult_t)atomic_load(&t.err);
}
C
