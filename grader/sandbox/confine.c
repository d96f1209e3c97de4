#define _GNU_SOURCE
#include "grader/sandbox/confine.h"

#include <errno.h>          /* errno */
#include <fcntl.h>          /* open */
#include <grp.h>            /* setgroups */
#include <linux/landlock.h> /* struct landlock_ruleset_attr */
#include <seccomp.h>        /* seccomp_init */
#include <sys/mman.h>       /* memfd_create */
#include <sys/prctl.h>      /* prctl */
#include <sys/resource.h>   /* setrlimit */
#include <sys/socket.h>     /* AF_UNIX */
#include <sys/stat.h>       /* fstat */
#include <sys/syscall.h>    /* SYS_landlock_create_ruleset */
#include <unistd.h>         /* syscall */

#ifndef SYS_fchmodat2     /* Linux 6.6 */
#define SYS_fchmodat2 452 /* on every architecture */
#endif

enum { OPEN_FILES = 4096 };

void confine_rlimits(void)
{
    // RLIMIT_AS and RLIMIT_FSIZE are not limited: device memory is large and
    // sparse.
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){OPEN_FILES, OPEN_FILES});
}

/* ---- files --------------------------------------------------------------- */

enum {
    READS = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
            LANDLOCK_ACCESS_FS_READ_DIR,
    WRITES_FILE = LANDLOCK_ACCESS_FS_WRITE_FILE,
    WRITES = WRITES_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
             LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
             LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
             LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
             LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM,
    OF_FILES = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
               WRITES_FILE, /* the others apply to folders only */
};

static int allow(int rules, const char *path, unsigned long long access)
{
    struct stat st;
    const int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT || errno == EACCES ? 0 : -1;
    if (fstat(fd, &st) == 0 && !S_ISDIR(st.st_mode))
        access &= OF_FILES;
    const struct landlock_path_beneath_attr rule = {access, fd};
    const long err = syscall(SYS_landlock_add_rule, rules,
                             LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(fd);
    return err == 0 ? 0 : -1;
}

int confine_files(const char *const *readable, const char *const *writable)
{
    const struct landlock_ruleset_attr all = {.handled_access_fs =
                                                  READS | WRITES};
    const int rules =
        (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
    if (rules < 0)
        return -1;
    int err = 0;
    for (; *readable && !err; readable++)
        err = allow(rules, *readable, READS);
    for (; *writable && !err; writable++)
        err = allow(rules, *writable, READS | WRITES);
    if (!err)
        err = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!err)
        err = (int)syscall(SYS_landlock_restrict_self, rules, 0);
    close(rules);
    return err;
}

/* ---- system calls -------------------------------------------------------- */

static const int refused[] = {SCMP_SYS(ptrace),
                              SCMP_SYS(process_vm_writev),
                              SCMP_SYS(kcmp),
                              SCMP_SYS(mount),
                              SCMP_SYS(umount2),
                              SCMP_SYS(pivot_root),
                              SCMP_SYS(chroot),
                              SCMP_SYS(unshare),
                              SCMP_SYS(setns),
                              SCMP_SYS(open_tree),
                              SCMP_SYS(move_mount),
                              SCMP_SYS(fsopen),
                              SCMP_SYS(fsmount),
                              SCMP_SYS(bpf),
                              SCMP_SYS(perf_event_open),
                              SCMP_SYS(userfaultfd),
                              SCMP_SYS(io_uring_setup),
                              SCMP_SYS(io_uring_enter),
                              SCMP_SYS(keyctl),
                              SCMP_SYS(add_key),
                              SCMP_SYS(request_key),
                              SCMP_SYS(init_module),
                              SCMP_SYS(finit_module),
                              SCMP_SYS(delete_module),
                              SCMP_SYS(kexec_load),
                              SCMP_SYS(reboot),
                              SCMP_SYS(swapon),
                              SCMP_SYS(swapoff),
                              SCMP_SYS(sethostname),
                              SCMP_SYS(setdomainname),
                              SCMP_SYS(settimeofday),
                              SCMP_SYS(clock_settime),
                              SCMP_SYS(adjtimex),
                              SCMP_SYS(iopl),
                              SCMP_SYS(ioperm),
                              SCMP_SYS(acct),
                              SCMP_SYS(quotactl),
                              SCMP_SYS(name_to_handle_at),
                              SCMP_SYS(open_by_handle_at)};

/* Allow local sockets, and stream sockets (with any flags) of IP. */
static int add_sockets(scmp_filter_ctx f)
{
    int err = seccomp_rule_add(f, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(socket), 1,
                               SCMP_A0(SCMP_CMP_GT, AF_INET6, 0));
    for (int family = AF_INET + 1; family < AF_INET6 && !err; family++)
        err = seccomp_rule_add(f, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(socket), 1,
                               SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)family, 0));
    static const int families[] = {AF_INET, AF_INET6};
    static const int kinds[] = {SOCK_DGRAM, SOCK_RAW, SOCK_PACKET};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3 && !err; k++)
            err = seccomp_rule_add(
                f, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(socket), 2,
                SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)families[i], 0),
                SCMP_A1(SCMP_CMP_MASKED_EQ, 0xF, (scmp_datum_t)kinds[k]));
    return err;
}

static const int modes[] = {SCMP_SYS(chmod), SCMP_SYS(fchmod),
                            SCMP_SYS(fchmodat), SYS_fchmodat2};

static int refuse(scmp_filter_ctx f, const int *calls, size_t n)
{
    int err = 0;
    for (size_t i = 0; i < n && !err; i++)
        err = seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), calls[i], 0);
    return err;
}

static scmp_filter_ctx filter(int keeps_modes)
{
    const scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
    int err = f ? refuse(f, refused, sizeof refused / sizeof *refused) : -1;
    if (!err && keeps_modes)
        err = refuse(f, modes, sizeof modes / sizeof *modes);
    if (!err)
        err = add_sockets(f);
    if (!err)
        return f;
    seccomp_release(f);
    errno = ENOSYS;
    return NULL;
}

int confine_calls(int keeps_modes)
{
    const scmp_filter_ctx f = filter(keeps_modes);
    const int err = f ? seccomp_load(f) : -1;
    if (f)
        seccomp_release(f);
    return err ? -1 : 0;
}

int confine_calls_fd(int keeps_modes)
{
    const scmp_filter_ctx f = filter(keeps_modes);
    int fd = f ? memfd_create("seccomp", 0) : -1; // bubblewrap inherits it
    if (fd >= 0 &&
        (seccomp_export_bpf(f, fd) != 0 || lseek(fd, 0, SEEK_SET) != 0)) {
        close(fd);
        fd = -1;
    }
    if (f)
        seccomp_release(f);
    return fd;
}

int confine_user(uid_t uid)
{
    return setgroups(0, NULL) == 0 && setresgid(uid, uid, uid) == 0 &&
                   setresuid(uid, uid, uid) == 0
               ? 0
               : -1;
}
