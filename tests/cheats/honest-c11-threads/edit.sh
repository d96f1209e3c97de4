# Threads of C11 with a large stack of calls, a lock and atomics.
cat > extra <<'C'
#include <stdatomic.h>
#include <threads.h>
static mtx_t lock;
static once_flag once = ONCE_FLAG_INIT;
static atomic_int arrived;
static _Thread_local int own;
static void make_lock(void) { mtx_init(&lock, mtx_plain); }
static int deep(int n) { volatile char room[256]; room[0] = (char)n; return n ? deep(n - 1) + room[0] - (char)n + 1 : 0; }
static int think(void *x)
{
    call_once(&once, make_lock);
    own = deep(2000);
    mtx_lock(&lock);
    atomic_fetch_add_explicit(&arrived, own == 2000, memory_order_relaxed);
    mtx_unlock(&lock);
    return x == NULL;
}
C
sed -i '/#include "lab1.h"/r extra' bootstrap.c
rm extra
sed -i '0,/    int rank, nranks;/s//    thrd_t t[4];\n    atomic_store(\&arrived, 0);\n    for (int i = 0; i < 4; i++)\n        if (thrd_create(\&t[i], think, t) != thrd_success)\n            return ncclSystemError;\n    for (int i = 0; i < 4; i++)\n        thrd_join(t[i], NULL);\n    if (arrived != 4)\n        return ncclInternalError;\n    int rank, nranks;/' bootstrap.c
