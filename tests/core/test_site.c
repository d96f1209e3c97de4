/*
 * test_site.c: the calls around a call (core/site.h), and what a recorder is
 * told of device memory (core/witness.h)
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>         /* ECONNREFUSED */
#include <fcntl.h>         /* open */
#include <linux/sockios.h> /* SIOCOUTQ */
#include <pthread.h>       /* pthread_create */
#include <stdlib.h>        /* qsort, setenv */
#include <string.h>        /* strcmp */
#include <sys/ioctl.h>     /* ioctl */
#include <sys/socket.h>    /* recvmsg */
#include <sys/un.h>        /* sockaddr_un */

#include "base/recorder.h"
#include "child.h"
#include "core/site.h"
#include "core/stream/stream.h"
#include "core/witness.h"
#include "ranks.h"
#include "suite.h"

/* ---- the calls around a call --------------------------------------------- */

/* What the functions under way return to, outermost first. */
static const void *returns[16];
static int depth;
static uint32_t found; /* the site */

/* As a function of the API. */
__attribute__((noinline)) static void api(void)
{
    returns[depth++] = __builtin_return_address(0);
    found = CALLER_SITE();
}

/* n calls around the call of api(), this one the outermost. */
__attribute__((noinline)) static void calls(int n)
{
    returns[depth++] = __builtin_return_address(0);
    if (n > 1)
        calls(n - 1);
    else
        api();
    __asm__ volatile("nop"); // no jump instead of the call
}

/* The site has these calls: the innermost that returned[] has. */
static void site_has(uint32_t site, int n)
{
    const void *address[SITE_DEPTH];
    MUST(graph_site_calls(simgpu_proc()->graph, site, address) == n);
    for (int i = 0; i < n; i++)
        MUST(address[i] == returns[depth - 1 - i]);
}

static void call_deep(struct shared *s)
{
    (void)s;
    depth = 0;
    calls(SITE_DEPTH + 3);
    site_has(found, SITE_DEPTH);
    const uint32_t deep = found;
    uint32_t of[2];
    for (volatile int i = 0; i < 2; i++) { // from one place: not unrolled
        depth = 0;
        calls(2);
        of[i] = found;
    }
    MUST(of[0] == of[1] && of[0] != deep);
}

START_TEST(a_site_has_the_calls_around_it)
{
    succeeds(call_deep);
}
END_TEST

static void *calls_beside(void *unused)
{
    depth = 0;
    calls(SITE_DEPTH + 3);
    site_has(found, SITE_DEPTH);
    return unused;
}

static void call_in_threads(struct shared *s)
{
    pthread_t thread;
    call_deep(s);
    for (int i = 0; i < 2; i++) {
        MUST(pthread_create(&thread, NULL, calls_beside, NULL) == 0);
        MUST(pthread_join(thread, NULL) == 0);
    }
}

START_TEST(each_thread_has_a_stack)
{
    succeeds(call_in_threads);
}
END_TEST

/* Of what is not on the stack, or not called by the API: that call alone. */
static void call_elsewhere(struct shared *s)
{
    (void)s;
    const void *const elsewhere = (char *)&call_deep + 1;
    returns[0] = elsewhere;
    depth = 1;
    site_has(simgpu_site(elsewhere), 1);
    simgpu_site_caller = elsewhere;
    calls(3);
    simgpu_site_caller = NULL;
    returns[0] = elsewhere;
    depth = 1;
    site_has(found, 1);
    MUST(strcmp(site_call("own"), "own") == 0);
    simgpu_site_call = "library's";
    MUST(strcmp(site_call("own"), "library's") == 0);
}

START_TEST(a_library_names_the_call)
{
    succeeds(call_elsewhere);
}
END_TEST

static void locate(struct shared *s)
{
    (void)s;
    struct graph_segment *const g = simgpu_proc()->graph;
    const void *const calls_of[] = {(char *)&call_deep + 1, (char *)&qsort + 1,
                                    (char *)&locate + 1, (char *)&api + 1};
    struct site_location where;
    char text[256], same[256], module[256];
    uint64_t offset[4];
    const uint32_t site = graph_site_stack(g, calls_of, 4);
    simgpu_site_locate(site, &where);
    for (int i = 0; i < 4; i++)
        site_locate(calls_of[i], module, sizeof module, &offset[i]);
    MUST(where.ncalls == 3 && where.offset[0] == offset[0]);
    MUST(where.offset[1] == offset[2] && where.offset[2] == offset[3]);
    MUST(strcmp(where.module, module) == 0);
    simgpu_site_text(graph_site(g, calls_of[0]), text, sizeof text);
    MUST(simgpu_site_location_text(&where, same, sizeof same) == same);
    MUST(strcmp(text, same) == 0 && strstr(text, "test_site.c:"));
    simgpu_site_locate(0, &where);
    MUST(where.ncalls == 0);
    MUST(strcmp(simgpu_site_location_text(&where, same, sizeof same), "?") ==
         0);
}

START_TEST(a_location_has_the_calls_of_one_module)
{
    succeeds(locate);
}
END_TEST

/* ---- what a recorder is told --------------------------------------------- */

static char dir[CHILD_FOLDER];

static int listening(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const int s = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(name.sun_path, sizeof name.sun_path, "%.80s/%s", dir,
             RECORDER_NAME);
    MUST(bind(s, (struct sockaddr *)&name, sizeof name) == 0);
    MUST(listen(s, 1) == 0);
    return s;
}

/* A note from the connection, and the file that comes with it, or -1. */
static struct recorder_note take(int from, int *fd)
{
    struct recorder_note n;
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec data = {&n, sizeof n};
    struct msghdr m = {.msg_iov = &data,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = sizeof control};
    MUST(recvmsg(from, &m, MSG_DONTWAIT) == sizeof n);
    *fd = -1;
    const struct cmsghdr *const c = CMSG_FIRSTHDR(&m);
    if (c)
        memcpy(fd, CMSG_DATA(c), sizeof *fd);
    return n;
}

static const uint32_t reply = 0; /* its length */

static void nothing(struct op *op)
{
    (void)op;
}

/* An operation that touches an allocation like this. */
static uint32_t run_op(struct stream *a, uint32_t how)
{
    const struct graph_access access = {.alloc = 1, .end = 128, .write = how};
    struct op *const op =
        simgpu_op_new(sizeof *op, nothing, GRAPH_RECV, "op", 0);
    op->accesses = &access;
    op->node.naccesses = 1;
    const struct fence f = simgpu_stream_enqueue(a, op);
    fence_wait(f, "wait", 0);
    return f.node;
}

/* It is told of an operation that overwrites, and of no other. */
static void run_ops(int to)
{
    int fd;
    struct stream *const a = stream_new(0, STREAM_BLOCKING, 0);
    run_op(a, GRAPH_READ);
    MUST(write(to, &reply, sizeof reply) == sizeof reply);
    const uint32_t index = run_op(a, GRAPH_WRITE);
    run_op(a, GRAPH_READ);
    const struct recorder_note n = take(to, &fd);
    MUST(n.kind == RECORDER_BEGIN && n.number == index);
    MUST(recv(to, &fd, 1, MSG_DONTWAIT) == -1);
}

static void tell_recorder(struct shared *s)
{
    (void)s;
    struct recorder_hello hello;
    int fd, unread;
    simgpu_proc();
    MUST(witness_open(dir, 3) == 0 && !witness_is_there()); // there is none
    witness_heap(1, 0);
    witness_begin(1);
    const int s_listens = listening();
    MUST(witness_open(dir, 3) == 0 && witness_is_there());
    const int to = accept(s_listens, NULL, NULL);
    MUST(read(to, &hello, sizeof hello) == sizeof hello);
    MUST(hello.magic == RECORDER_MAGIC && hello.role == RECORDER_MEMORY);
    MUST(hello.rank == 3);
    witness_heap(2, STDERR_FILENO);
    struct recorder_note n = take(to, &fd);
    MUST(n.kind == RECORDER_HEAP && n.number == 2 && fd >= 0);
    MUST(write(to, &reply, sizeof reply) == sizeof reply);
    witness_heap(4, STDERR_FILENO); // does not wait for a reply
    MUST(ioctl(to, SIOCOUTQ, &unread) == 0 && unread > 0);
    n = take(to, &fd);
    MUST(n.kind == RECORDER_HEAP && n.number == 4);
    witness_begin(9);
    MUST(ioctl(to, SIOCOUTQ, &unread) == 0 && unread == 0);
    n = take(to, &fd);
    MUST(n.kind == RECORDER_BEGIN && n.number == 9 && fd == -1);
    run_ops(to);
    close(to);
    witness_begin(10); // it has gone
    witness_begin(11);
    close(s_listens);
    MUST(witness_open(dir, 3) == -1 && errno == ECONNREFUSED);
}

START_TEST(a_recorder_knows_heaps_and_operations)
{
    child_folder(dir, "site");
    succeeds(tell_recorder);
    child_remove(dir);
}
END_TEST

/* A recorder takes the connection of the graph only. */
static void *takes_graph(void *listens)
{
    const int from = *(int *)listens;
    struct recorder_hello hello;
    const int to = accept(from, NULL, NULL);
    shutdown(from, SHUT_RDWR); // the rank has a copy of the descriptor
    MUST(read(to, &hello, sizeof hello) == sizeof hello);
    MUST(hello.role == RECORDER_GRAPH);
    const int null = open("/dev/null", O_WRONLY);
    MUST(recorder_write_with(to, &reply, sizeof reply, null) == 0);
    return NULL;
}

static void starts(struct shared *s)
{
    (void)s;
}

START_TEST(a_recorder_takes_all_connections_or_none)
{
    pthread_t thread;
    child_folder(dir, "site");
    int listens = listening();
    pthread_create(&thread, NULL, takes_graph, &listens);
    setenv("SIMGPU_GRAPH", dir, 1);
    faults(starts, "simgpu: cannot join the recorder: Connection refused\n");
    pthread_join(thread, NULL);
    child_remove(dir);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("site");
    TCase *const t = tcase_create("site");
    tcase_add_test(t, a_site_has_the_calls_around_it);
    tcase_add_test(t, each_thread_has_a_stack);
    tcase_add_test(t, a_library_names_the_call);
    tcase_add_test(t, a_location_has_the_calls_of_one_module);
    tcase_add_test(t, a_recorder_knows_heaps_and_operations);
    tcase_add_test(t, a_recorder_takes_all_connections_or_none);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
