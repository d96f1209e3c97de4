# One thread makes the copies of all calls. It stays, and waits for the next.
sed -i '/^ncclResult_t relay(/,/^}/d' relay.c
cat >> relay.c <<'C'
static struct {
    pthread_once_t once;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum { NOTHING, ASKED, DONE } state;
    const struct peers *p;
    const struct route *route;
    int n;
    char *dst;
    const char *src;
    size_t nbytes, chunk_nbytes;
    ncclResult_t result;
} job = {.once = PTHREAD_ONCE_INIT,
         .lock = PTHREAD_MUTEX_INITIALIZER,
         .changed = PTHREAD_COND_INITIALIZER};

static ncclResult_t copy_all(void)
{
    struct part part[ROUTES];
    const size_t nchunks =
        split(job.route, job.n, job.nbytes, job.chunk_nbytes, part);
    for (size_t chunk = 0; chunk < nchunks; chunk++)
        for (int i = 0; i < job.n; i++)
            LAB_TRY(send_chunk(job.p, &job.route[i], i, part[i], job.dst,
                               job.src, chunk));
    return peers_wait(job.p);
}

static void *work(void *unused)
{
    pthread_mutex_lock(&job.lock);
    for (;;) {
        while (job.state != ASKED)
            pthread_cond_wait(&job.changed, &job.lock);
        job.result = copy_all();
        job.state = DONE;
        pthread_cond_broadcast(&job.changed);
    }
    return unused;
}

static void begin(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, NULL) == 0)
        pthread_detach(thread);
}

ncclResult_t relay(const struct peers *p, const struct route *route, int n,
                   void *dst, const void *src, size_t nbytes,
                   size_t chunk_nbytes)
{
    pthread_once(&job.once, begin);
    pthread_mutex_lock(&job.lock);
    job.p = p;
    job.route = route;
    job.n = n;
    job.dst = dst;
    job.src = src;
    job.nbytes = nbytes;
    job.chunk_nbytes = chunk_nbytes;
    job.state = ASKED;
    pthread_cond_broadcast(&job.changed);
    while (job.state != DONE)
        pthread_cond_wait(&job.changed, &job.lock);
    pthread_mutex_unlock(&job.lock);
    return job.result;
}
C
sed -i '/^#include "lab\/try.h"/a #include <pthread.h>' relay.c
