/* Buffers of messages under way that may change, or whose change is a mistake:
 * what the argument says, on two ranks. test_mpi_graph checks what is
 * reported. */
#define _GNU_SOURCE
#include <mpi.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { COUNT = 1 << 16 };
static int rank;
static float large[COUNT], small[2];
static MPI_Status status[2];

static void send(const float *p, int count, MPI_Request *r)
{
    MPI_Isend(p, count, MPI_FLOAT, 1, 0, MPI_COMM_WORLD, r);
}

static void receive(int count)
{
    static float in[COUNT];
    MPI_Recv(in, count, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ---- right --------------------------------------------------------------- */

/* Each call that finds a request complete ends the use of its buffer. */
static void all_ends(void)
{
    MPI_Request r[2];
    int done = 0, index, two[2];
    for (int way = 0; way < 7; way++) {
        send(&large[0], COUNT / 2, &r[0]);
        send(&large[COUNT / 2], COUNT / 2, &r[1]);
        for (done = 0; way == 0 && !done;)
            MPI_Test(&r[0], &done, MPI_STATUS_IGNORE);
        for (done = 0; way == 1 && !done;)
            MPI_Testall(2, r, &done, status);
        for (done = 0; way == 2 && !done;)
            MPI_Request_get_status(r[0], &done, MPI_STATUS_IGNORE);
        for (done = 0; way == 3 && !done;)
            MPI_Testany(1, r, &index, &done, MPI_STATUS_IGNORE);
        if (way == 4)
            MPI_Waitany(1, r, &index, MPI_STATUS_IGNORE);
        if (way == 5)
            MPI_Waitsome(1, r, &done, two, status);
        if (way == 6)
            MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        large[way] += 1;
        MPI_Waitall(2, r, status);
        large[COUNT - 1] += 1;
    }
}

static void ends(void)
{
    if (rank == 0)
        all_ends();
    for (int i = 0; rank == 1 && i < 14; i++)
        receive(COUNT / 2);
}

/* Two sends that are complete at once, and have one handle: the buffer of the
 * one that was waited for is free, whichever it was. */
static void either(void)
{
    MPI_Request r[2], was;
    for (int way = 0; way < 2 && rank == 0; way++) {
        send(&small[0], 1, &r[0]);
        send(&small[1], 1, &r[1]);
        was = r[0];
        r[0] = r[1];
        r[1] = was;
        MPI_Wait(&r[way], MPI_STATUS_IGNORE);
        small[1 - way] += 1;
        MPI_Wait(&r[1 - way], MPI_STATUS_IGNORE);
        small[way] += 1;
    }
    for (int i = 0; rank == 1 && i < 4; i++)
        receive(1);
}

/* What lies between the elements of a type isn't sent, nor is anything sent to
 * nobody. */
static void gaps(void)
{
    MPI_Datatype even;
    MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Type_vector(COUNT / 2, 1, 2, MPI_FLOAT, &even);
    MPI_Type_commit(&even);
    if (rank == 0) {
        MPI_Isend(large, 1, even, 1, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(small, 2, MPI_FLOAT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r[1]);
    } else {
        receive(COUNT / 2);
    }
    large[1] = 1;
    small[0] = 1;
    MPI_Waitall(2, r, status);
    MPI_Type_free(&even);
}

/* A persistent message is under way from each start to the next wait. Its
 * buffer may be gone while it isn't. */
static void persistent(void)
{
    float in = 0, out = 0;
    MPI_Request r[2];
    MPI_Send_init(&out, 1, MPI_FLOAT, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Recv_init(&in, 1, MPI_FLOAT, 1 - rank, 0, MPI_COMM_WORLD, &r[1]);
    for (int i = 0; i < 3; i++) {
        out = (float)i;
        MPI_Startall(2, r);
        MPI_Waitall(2, r, status);
        out = in + 1;
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

/* The receiver writes memory that it shares with the sender, once it has the
 * message. */
static void shared(void)
{
    int *p;
    MPI_Win w;
    MPI_Aint nbytes;
    int unit, sent = 1;
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Win_allocate_shared(rank == 0 ? 4096 : 0, 1, MPI_INFO_NULL,
                            MPI_COMM_WORLD, &p, &w);
    MPI_Win_shared_query(w, 0, &nbytes, &unit, &p);
    if (rank == 0)
        MPI_Isend(p, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &r);
    else
        MPI_Recv(&sent, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        p[0] = sent + 7;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Win_free(&w);
}

/* The function that posts a receive waits for it, one deeper than that. */
static void wait_for(MPI_Request *r)
{
    MPI_Wait(r, MPI_STATUS_IGNORE);
}

static void *exchange(void *unused)
{
    int in = 0, out = rank;
    MPI_Request r[2];
    (void)unused;
    MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(&out, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &r[1]);
    wait_for(&r[0]);
    wait_for(&r[1]);
    return NULL;
}

static void deeper(void)
{
    pthread_t thread;
    exchange(NULL);
    pthread_create(&thread, NULL, exchange, NULL);
    pthread_join(thread, NULL);
}

/* ---- wrong --------------------------------------------------------------- */

/* The first of two sends that have one handle. */
static void first(void)
{
    MPI_Request r[2];
    if (rank == 0) {
        send(&small[0], 1, &r[0]);
        send(&small[1], 1, &r[1]);
        small[0] = 1;
        MPI_Waitall(2, r, status);
    }
    for (int i = 0; rank == 1 && i < 2; i++)
        receive(1);
}

/* A long buffer, from some byte on. */
static void long_one(void)
{
    MPI_Request r;
    if (rank == 0) {
        send(large, COUNT, &r);
        memset(&large[COUNT / 2], 1, COUNT);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else {
        receive(COUNT);
    }
}

/* Memory that is unmapped isn't compared. */
static void unmapped(void)
{
    const size_t nbytes = COUNT * sizeof large[0];
    MPI_Request r;
    if (rank == 1) {
        receive(1);
        return;
    }
    float *const p = mmap(NULL, nbytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    send(p, 1, &r);
    munmap(p, nbytes);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static const struct {
    const char *name;
    void (*f)(void);
} ways[] = {
    {"ends", ends},         {"either", either},
    {"gaps", gaps},         {"persistent", persistent},
    {"shared", shared},     {"deeper", deeper},
    {"first", first},       {"long", long_one},
    {"unmapped", unmapped},
};

int main(int argc, char **argv)
{
    int threads;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (argc > 1 && strcmp(argv[1], ways[i].name) == 0)
            ways[i].f();
    printf("done\n");
    MPI_Finalize();
    return 0;
}
