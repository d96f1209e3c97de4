#define _GNU_SOURCE
#include "core/watch/sentry.h"

#include <errno.h>       /* ECONNREFUSED */
#include <fcntl.h>       /* open */
#include <poll.h>        /* poll */
#include <signal.h>      /* SIGKILL */
#include <stddef.h>      /* offsetof */
#include <stdio.h>       /* snprintf */
#include <stdlib.h>      /* getenv */
#include <string.h>      /* sigabbrev_np */
#include <sys/epoll.h>   /* epoll_wait */
#include <sys/ioctl.h>   /* ioctl */
#include <sys/mman.h>    /* mmap */
#include <sys/socket.h>  /* recvmsg */
#include <sys/syscall.h> /* SYS_clone */
#include <sys/un.h>      /* sockaddr_un */
#include <sys/wait.h>    /* WTERMSIG */
#include <unistd.h>      /* setsid */

#include "core/called.h"
#include "core/proc.h"
#include "core/watch/keeper.h"
#include "core/watch/newcomer.h"

enum {
    TRIES = 100,     /* to connect, a millisecond apart */
    EXIT_MS = 20,    /* between looks whether a process is still ending */
    END_MS = 50,     /* between looks whether the last rank has ended */
    REPORT_SEC = 20, /* a report that takes longer is given up */
    HIGH_FD = 256,
};

struct member { /* a process of a rank */
    struct member *next;
    int connection;
    int pid, pidfd;
    int rank;
    const struct control *page; /* NULL: it has made no call */
};

static struct {
    int launcher, parent; /* mpirun's processes */
    int launcher_fd, epoll, listening;
    struct member *members;
    int is_over; /* the job ends, and the reason is known */
} self;

/* A rank's connection, and the process that made it. */
static int connection = -1;
static pid_t connected;

/* ---- the address --------------------------------------------------------- */

/* In the abstract name space, so that it ends with the sentry. */
static socklen_t address(int launcher, struct sockaddr_un *out)
{
    char space[64] = "";
    // process numbers repeat in other name spaces
    const ssize_t n = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    const int length = snprintf(out->sun_path + 1, sizeof out->sun_path - 1,
                                "simgpu-sentry-%d-%.*s", launcher,
                                (int)(n > 0 ? n : 0), space);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
                       (size_t)length);
}

/* ---- /proc --------------------------------------------------------------- */

/* The text behind a process's name in its stat; "" if it is gone. */
static const char *read_stat(int pid, char stat[1024])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *const f = fopen(path, "re");
    const size_t n = f ? fread(stat, 1, 1023, f) : 0;
    if (f)
        fclose(f);
    stat[n] = 0;
    char *const name_end = strrchr(stat, ')');
    return name_end ? name_end + 1 : "";
}

static int parent_of(int pid)
{
    char stat[1024];
    int parent = 0;
    sscanf(read_stat(pid, stat), " %*c %d", &parent);
    return parent;
}

/* How a process has ended, as waitpid() returns it; -1 if it runs, or its
 * parent has waited for it. */
static int ended_with(int pid)
{
    char stat[1024];
    int status = -1;
    const char *const state = read_stat(pid, stat);
    if (strncmp(state, " Z", 2) == 0)
        sscanf(strrchr(state, ' '), "%d", &status);
    return status;
}

/* What Linux 6.15 keeps of a process that its parent has waited for; else
 * -1. */
static int kept_status(int pidfd)
{
    enum { HAS_EXIT_CODE = 1 << 3 };
    struct info { // struct pidfd_info
        uint64_t mask, cgroup;
        uint32_t ids[11];
        int32_t exit_code;
    } info = {.mask = HAS_EXIT_CODE};
    return ioctl(pidfd, _IOWR(0xFF, 11, struct info), &info) == 0 &&
                   (info.mask & HAS_EXIT_CODE)
               ? info.exit_code
               : -1;
}

static int runs(int pid, int depth)
{
    (void)depth;
    return ended_with(pid) == -1;
}

/* True while a process runs that mpirun has started. */
static int any_runs(void)
{
    return newcomer_any_child(self.launcher, runs, 0);
}

/* True while the kernel ends a process, which it does on a busy machine in as
 * long as it likes. */
static int is_exiting(int pid)
{
    enum { PF_EXITING = 1 << 2 }; // include/linux/sched.h
    char stat[1024];
    unsigned flags = 0;
    sscanf(read_stat(pid, stat), " %*c %*d %*d %*d %*d %*d %u", &flags);
    return (flags & PF_EXITING) != 0;
}

/* ---- the end of a rank --------------------------------------------------- */

/* True if a process whose connection was closed has ended, once it has. A
 * process that still runs has closed the connection itself. */
static int has_ended(const struct member *m)
{
    struct pollfd end = {m->pidfd, POLLIN, 0};
    while (is_exiting(m->pid))
        if (poll(&end, 1, EXIT_MS) == 1)
            return 1;
    return poll(&end, 1, 0) == 1;
}

/* How a process has ended that has. */
static int status_of(const struct member *m)
{
    for (int i = 0; i < TRIES; i++) { // its parent may be waiting for it now
        int status = ended_with(m->pid);
        if (status == -1)
            status = kept_status(m->pidfd);
        if (status != -1)
            return status;
        usleep(100);
    }
    // an older Linux: what has ended without a word was killed
    return m->page && atomic_load(&m->page->state) == CONTROL_RUNNING ? SIGKILL
                                                                      : -1;
}

static void print_line(int rank, const char *text)
{
    dprintf(STDERR_FILENO, "simgpu: rank %d: %s\n", rank, text);
}

static void report(const struct member *m, int sig)
{
    const char *const name = sigabbrev_np(sig);
    char how[128], called[512] = "It had not called CUDA, NCCL or MPI yet.";
    alarm(REPORT_SEC); // mpirun waits
    if (m->page)
        called_text(m->page, called, sizeof called);
    snprintf(how, sizeof how,
             "rank %d (process %d) was killed by SIG%s (signal %d).", m->rank,
             m->pid, name ? name : "RT", sig);
    print_line(m->rank, how);
    print_line(m->rank, called);
    if (sig == SIGKILL && !(m->page && atomic_load(&m->page->planted))) {
        print_line(m->rank, "That signal comes from outside the program: from "
                            "kill, a time limit, or a machine that");
        print_line(m->rank, "is short of memory, of which dmesg has a line.");
    }
    alarm(0);
}

/* True if a process ends without MPI_Finalize. */
static int exits_in_mpi(const struct member *m)
{
    return atomic_load(&m->page->in_mpi) &&
           atomic_load(&m->page->state) == CONTROL_EXITED;
}

/* True if a rank makes mpirun end the job. */
static int any_ends_job(void)
{
    for (const struct member *m = self.members; m; m = m->next)
        if (m->page && (atomic_load(&m->page->ends_job) || exits_in_mpi(m)))
            return 1;
    return 0;
}

/*
 * A process has closed its files. mpirun kills the other ranks if this one has
 * failed, or has left MPI without MPI_Finalize; it kills all when it is
 * interrupted, or killed itself.
 */
static void end(const struct member *m)
{
    if (self.is_over || !has_ended(m))
        return;
    const int status = status_of(m);
    self.is_over = status == -1 || any_ends_job() ||
                   parent_of(self.launcher) != self.parent ||
                   (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    if (WIFSIGNALED(status) && !self.is_over)
        report(m, WTERMSIG(status));
    self.is_over |= !keeper_is_there() &&
                    (status != 0 || (m->page && atomic_load(&m->page->in_mpi)));
}

/* ---- members ------------------------------------------------------------- */

static void watch(int fd, void *key)
{
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = key};
    if (epoll_ctl(self.epoll, EPOLL_CTL_ADD, fd, &e) != 0)
        _exit(1);
}

static void meet_all(void)
{
    int fd;
    while ((fd = accept4(self.listening, NULL, NULL,
                         SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
        struct ucred peer = {0, 0, 0};
        socklen_t nbytes = sizeof peer;
        struct member *const m = calloc(1, sizeof *m);
        if (!m || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &nbytes) != 0)
            _exit(1);
        *m =
            (struct member){.next = self.members,
                            .connection = fd,
                            .pid = peer.pid,
                            .pidfd = (int)syscall(SYS_pidfd_open, peer.pid, 0)};
        self.members = m;
        watch(fd, m);
        const ssize_t sent = write(fd, "", 1); // it waits for that
        (void)sent;
    }
}

/* Read a word of a process: its rank, and its page once it has one. Returns -1
 * at the end. */
static int read_word(struct member *m)
{
    struct iovec data = {&m->rank, sizeof m->rank};
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    int fd;
    const ssize_t n =
        recvmsg(m->connection, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n < 0 && errno == ECONNRESET) // words that were sent before follow
        return 1;
    if (n <= 0)
        return n < 0 && errno == EAGAIN ? 0 : -1;
    const struct cmsghdr *const c = CMSG_FIRSTHDR(&message);
    if (!c || c->cmsg_type != SCM_RIGHTS)
        return 1;
    memcpy(&fd, CMSG_DATA(c), sizeof fd);
    void *const page =
        mmap(NULL, sizeof *m->page, PROT_READ, MAP_SHARED, fd, 0);
    m->page = page == MAP_FAILED ? NULL : page;
    close(fd);
    return 1;
}

/* Returns -1 once all ranks have ended. */
static int wait_once(void)
{
    enum { EVENTS = 64 };
    struct epoll_event e[EVENTS];
    int nopen = 0;
    for (const struct member *m = self.members; m; m = m->next)
        nopen += m->connection >= 0;
    const int n = epoll_wait(self.epoll, e, EVENTS, nopen ? -1 : END_MS);
    if (n == 0 && !any_runs())
        return -1;
    for (int i = 0; i < n; i++) { // in the order of the connections' ends
        struct member *const m = e[i].data.ptr;
        if (e[i].data.ptr == &self.launcher)
            return -1;
        if (e[i].data.ptr == &self.listening) {
            meet_all();
            continue;
        }
        int got;
        while ((got = read_word(m)) > 0)
            ;
        if (got == 0)
            continue;
        close(m->connection); // also leaves the epoll set
        m->connection = -1;
        end(m);
    }
    return 0;
}

static _Noreturn void run(int launcher, int listening)
{
    const int null = open("/dev/null", O_RDWR);
    setsid(); // mpirun signals a rank's group
    signal(SIGPIPE, SIG_IGN);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    self.listening = dup2(listening, STDERR_FILENO + 1);
    closefrom(self.listening + 1); // mpirun waits for the end of its pipes
    self.launcher = launcher;
    self.parent = parent_of(launcher);
    self.epoll = epoll_create1(EPOLL_CLOEXEC);
    watch((int)syscall(SYS_pidfd_open, launcher, 0), &self.launcher);
    watch(self.listening, &self.listening);
    while (wait_once() == 0)
        ;
    _exit(0);
}

/* ---- ranks --------------------------------------------------------------- */

/* Start the sentry, unless another rank has. Its end sends no signal, and
 * wait() doesn't find it. */
static void start_sentry(int launcher, const struct sockaddr_un *at,
                         socklen_t nbytes)
{
    const int s =
        socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s >= 0 && bind(s, (const struct sockaddr *)at, nbytes) == 0 &&
        listen(s, SOMAXCONN) == 0 && syscall(SYS_clone, 0, 0, 0, 0, 0) == 0)
        run(launcher, s);
    if (s >= 0)
        close(s);
}

/* Send this process's rank, and its page if it is not -1. */
static void send_word(int page)
{
    int rank = atoi(getenv("PMI_RANK"));
    struct iovec data = {&rank, sizeof rank};
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof page)];
    } control = {.head = {.cmsg_len = CMSG_LEN(sizeof page),
                          .cmsg_level = SOL_SOCKET,
                          .cmsg_type = SCM_RIGHTS}};
    struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1};
    if (page >= 0) {
        memcpy(CMSG_DATA(&control.head), &page, sizeof page);
        m.msg_control = &control;
        m.msg_controllen = sizeof control;
    }
    const ssize_t sent = sendmsg(connection, &m, MSG_NOSIGNAL);
    (void)sent; // without a sentry there is no report
}

/* Connect to the sentry, as early as possible: the process is small, and has no
 * other threads. */
__attribute__((constructor)) static void connect_rank(void)
{
    const struct timeval most = {1, 0};
    struct sockaddr_un at;
    int ok = 0;
    const int launcher = newcomer_is_rank() ? newcomer_launcher() : 0;
    if (!launcher)
        return;
    const socklen_t nbytes = address(launcher, &at);
    const int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (s < 0)
        return;
    connection = fcntl(s, F_DUPFD_CLOEXEC, HIGH_FD);
    close(s);
    if (connection < 0)
        return;
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
    for (int i = 0; i < TRIES && !ok; i++) {
        ok = connect(connection, (struct sockaddr *)&at, nbytes) == 0;
        if (!ok && errno == ECONNREFUSED)
            start_sentry(launcher, &at, nbytes);
        if (!ok && i)
            usleep(1000);
    }
    connected = getpid();
    send_word(-1);
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    char byte;
    if (ok && read(connection, &byte, 1) != 1) // it watches this process now
        ok = 0;
    if (!ok) {
        close(connection);
        connection = -1;
    }
}

void sentry_meet(void)
{
    if (connection >= 0 && connected == getpid())
        send_word(control_id().fd);
}
