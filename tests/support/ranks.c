#include "ranks.h"

#include <check.h>
#include <stdlib.h>   /* setenv */
#include <string.h>   /* strstr */
#include <sys/mman.h> /* mmap */
#include <sys/wait.h> /* waitpid */

#include "core/peer.h"
#include "core/thread.h"
#include "core/wait.h" /* simgpu_wake */

struct shared *shared_new(void)
{
    void *const p = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(p, MAP_FAILED);
    return p;
}

void set(_Atomic uint32_t *word)
{
    atomic_store(word, 1);
    simgpu_wake(word);
}

void spin(const _Atomic uint32_t *word)
{
    while (!atomic_load(word))
        usleep(1000);
}

const struct peer *meet(struct shared *s)
{
    const uint32_t rank = simgpu_proc()->rank;
    s->id[rank] = simgpu_proc()->id;
    set(&s->ready[rank]);
    spin(&s->ready[!rank]);
    const struct peer *const p = simgpu_peer_attach(&s->id[!rank]);
    MUST(p);
    set(&s->met[rank]);
    spin(&s->met[!rank]);
    return p;
}

void await_other(struct shared *s)
{
    const uint32_t rank = simgpu_proc()->rank;
    set(rank ? &s->ping : &s->pong);
    spin(rank ? &s->pong : &s->ping);
}

struct rank rank_start(int rank, int n, void (*body)(struct shared *),
                       struct shared *s)
{
    int ends[2];
    char text[16];
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid > 0) {
        close(ends[1]);
        return (struct rank){pid, ends[0]};
    }
    dup2(ends[1], STDERR_FILENO);
    snprintf(text, sizeof text, "%d", rank);
    setenv("PMI_RANK", text, 1);
    snprintf(text, sizeof text, "%d", n);
    setenv("PMI_SIZE", text, 1);
    thread_number();
    body(s);
    exit(0);
}

int rank_end(struct rank r, char *text, size_t nbytes)
{
    size_t at = 0;
    ssize_t n;
    while (at < nbytes - 1 && (n = read(r.err, text + at, nbytes - 1 - at)) > 0)
        at += (size_t)n;
    text[at] = 0;
    close(r.err);
    int status;
    ck_assert_int_eq(waitpid(r.pid, &status, 0), r.pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void succeeds(void (*body)(struct shared *))
{
    char text[8192];
    const struct rank r = rank_start(0, 1, body, shared_new());
    const int status = rank_end(r, text, sizeof text);
    ck_assert_msg(status == 0, "status %d: %s", status, text);
}

void faults(void (*body)(struct shared *), const char *says)
{
    char text[8192];
    const struct rank r = rank_start(0, 1, body, shared_new());
    const int status = rank_end(r, text, sizeof text);
    ck_assert_msg(status == PROC_EXIT_FAULT, "status %d: %s", status, text);
    ck_assert_msg(strstr(text, says) != NULL, "lacks '%s': %s", says, text);
}

void both_succeed(void (*a)(struct shared *), void (*b)(struct shared *))
{
    char text[2][8192];
    struct shared *const s = shared_new();
    const struct rank r0 = rank_start(0, 2, a, s);
    const struct rank r1 = rank_start(1, 2, b, s);
    const int e0 = rank_end(r0, text[0], sizeof text[0]);
    const int e1 = rank_end(r1, text[1], sizeof text[1]);
    ck_assert_msg(e0 == 0 && e1 == 0, "%d, %d: %s%s", e0, e1, text[0], text[1]);
}
