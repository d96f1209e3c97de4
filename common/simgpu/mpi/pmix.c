/*
 * pmix.c: running an MPICH that was built for PMIx under MPICH's own mpirun
 *
 * MPICH asks its launcher for the number of ranks and exchanges addresses
 * through it. Ubuntu 24.04's MPICH uses PMIx for that, but the mpirun that
 * comes with it, Hydra, speaks only PMI-1. Each rank then finds no server and
 * believes that it is the only rank. libcudart precedes libpmix in the search
 * order (as it does UCX, see nap.h), so MPICH calls the functions below, which
 * talk to Hydra. If Hydra didn't start the process, they call libpmix's own.
 *
 * When a rank ends without PMIx_Finalize, Hydra 4.2 ends the other ranks at
 * once, and mpirun's status may be 0: the rank's status is often lost. A rank
 * that fails therefore announces its status first; a rank killed by SIGKILL
 * cannot.
 *
 * The functions below are those that MPI_Init, MPI_Finalize and MPI_Abort call
 * with MPIR_CVAR_NOLOCAL (world.c). Types and numbers are those of the PMIx
 * standard. libpmix may free the values that PMIx_Get returns.
 *
 * PMI-1 consists of lines of text on a descriptor, each answered by a line.
 * Hydra 4.2 fails on lines of more than 1024 characters, and values must not
 * contain spaces. Values are therefore written as hexadecimal digits, in as
 * many pieces as necessary; the last piece is shorter than the others.
 */
#define _GNU_SOURCE
#include <stdarg.h> /* va_list */
#include <stdint.h>
#include <stdio.h>  /* vdprintf */
#include <stdlib.h> /* getenv, on_exit */
#include <string.h> /* strcmp */
#include <unistd.h> /* read, getpid */

#include "base/drain.h"
#include "core/report.h"
#include "mpi/next.h"

enum {
    PMIX_SUCCESS = 0,
    PMIX_ERROR = -1,
    PMIX_ERR_UNREACH = -25,
    PMIX_ERR_NOT_FOUND = -46,
    PMIX_ERR_NOT_SUPPORTED = -47,

    PMIX_STRING = 3,
    PMIX_UINT32 = 14,
    PMIX_BYTE_OBJECT = 27,

    VALUE_NBYTES = 64, /* at least sizeof(pmix_value_t) */
    PIECE_NBYTES = 250,
    LINE_NBYTES = 4096,
};

struct proc_name { /* pmix_proc_t */
    char nspace[256];
    uint32_t rank;
};

struct value { /* pmix_value_t, without the members that are not used here */
    uint16_t type;
    union {
        char *string;
        uint32_t uint32;
        struct {
            char *bytes;
            size_t nbytes;
        } bo;
    } data;
};

static int hydra = -1; /* the descriptor, once PMIx_Init has found it */
static pid_t self_pid; /* a forked child is not a rank */
static int ended;      /* Hydra has been told how this rank ends */
static char job[256];  /* the name under which Hydra keeps the job's values */
static char reply[LINE_NBYTES];

/* Call libpmix's function with the caller's name. */
#define REAL(otherwise, type, ...)                                             \
    do {                                                                       \
        int(*const f) type =                                                   \
            (int(*) type)next_function(__func__, "libpmix.so.2");              \
        return f ? f(__VA_ARGS__) : (otherwise);                               \
    } while (0)

static int read_reply(void)
{
    for (size_t n = 0; n < sizeof reply; n++) {
        if (read(hydra, reply + n, 1) != 1)
            return PMIX_ERR_UNREACH;
        if (reply[n] == '\n') {
            reply[n] = 0;
            return PMIX_SUCCESS;
        }
    }
    return PMIX_ERROR;
}

/* The value of `name` in the reply, or NULL. */
static char *field(const char *name)
{
    const size_t length = strlen(name);
    for (char *word = reply; word; word = strchr(word, ' ')) {
        word += *word == ' ';
        if (strncmp(word, name, length) == 0 && word[length] == '=')
            return word + length + 1;
    }
    return NULL;
}

/* Send a line and wait for its reply. */
static int ask(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int sent = vdprintf(hydra, format, args);
    va_end(args);
    if (sent < 0)
        return PMIX_ERR_UNREACH;
    const int err = read_reply();
    const char *const rc = field("rc");
    return err ? err : rc && atoi(rc) != 0 ? PMIX_ERR_NOT_FOUND : 0;
}

/* ---- how a rank ends ----------------------------------------------------- */

static int tell_status(int status)
{
    ended = 1;
    return dprintf(hydra, "cmd=abort exitcode=%d\n", status) < 0
               ? PMIX_ERR_UNREACH
               : PMIX_SUCCESS;
}

static void fails(int status)
{
    if (ended || getpid() != self_pid)
        return;
    drain_wait();
    tell_status(status);
}

static void exits(int status, void *unused)
{
    (void)unused;
    if (status != 0) {
        fflush(NULL);
        fails(status);
    }
}

/* ---- functions that MPICH calls ------------------------------------------ */

int PMIx_Init(struct proc_name *self, void *info, size_t ninfo)
{
    const char *const fd = getenv("PMI_FD"), *const rank = getenv("PMI_RANK");
    if (!fd || !rank)
        REAL(PMIX_ERR_UNREACH, (struct proc_name *, void *, size_t), self, info,
             ninfo);
    hydra = atoi(fd);
    if (ask("cmd=init pmi_version=1 pmi_subversion=1\n") ||
        ask("cmd=get_my_kvsname\n") || !field("kvsname"))
        return PMIX_ERR_UNREACH;
    snprintf(job, sizeof job, "%s", field("kvsname"));
    memset(self, 0, sizeof *self);
    snprintf(self->nspace, sizeof self->nspace, "%s", job);
    self->rank = (uint32_t)atoi(rank);
    self_pid = getpid();
    simgpu_report_last(fails);
    on_exit(exits, NULL);
    return PMIX_SUCCESS;
}

int PMIx_Finalize(const void *info, size_t ninfo)
{
    if (hydra < 0)
        REAL(PMIX_SUCCESS, (const void *, size_t), info, ninfo);
    ended = 1;
    return ask("cmd=finalize\n");
}

int PMIx_Abort(int status, const char *why, void *procs, size_t nprocs)
{
    if (hydra < 0)
        REAL(PMIX_SUCCESS, (int, const char *, void *, size_t), status, why,
             procs, nprocs);
    return tell_status(status);
}

int PMIx_Put(uint8_t scope, const char *key, struct value *value)
{
    if (hydra < 0)
        REAL(PMIX_ERR_UNREACH, (uint8_t, const char *, struct value *), scope,
             key, value);
    const int bytes = value->type == PMIX_BYTE_OBJECT;
    if (!bytes && value->type != PMIX_STRING)
        return PMIX_ERR_NOT_SUPPORTED;
    const char *from = bytes ? value->data.bo.bytes : value->data.string;
    size_t left = bytes ? value->data.bo.nbytes : strlen(from);
    for (int i = 0;; i++) {
        const size_t n = left < PIECE_NBYTES ? left : PIECE_NBYTES;
        char hex[2 * PIECE_NBYTES + 1] = "";
        for (size_t j = 0; j < n; j++)
            snprintf(hex + 2 * j, 3, "%02x", (unsigned char)from[j]);
        const int err = ask("cmd=put kvsname=%s key=%s.%d value=%c%s\n", job,
                            key, i, bytes ? 'b' : 's', hex);
        if (err || n < PIECE_NBYTES)
            return err;
        from += n;
        left -= n;
    }
}

int PMIx_Commit(void)
{
    if (hydra < 0)
        REAL(PMIX_ERR_UNREACH, (void), );
    return PMIX_SUCCESS; // PMIx_Put has sent it already
}

/* PMI-1 can only fence all ranks; MPICH then does so even where a fence of one
 * node's ranks would do. */
int PMIx_Fence(const struct proc_name *procs, size_t nprocs, const void *info,
               size_t ninfo)
{
    if (hydra < 0)
        REAL(PMIX_ERR_UNREACH,
             (const struct proc_name *, size_t, const void *, size_t), procs,
             nprocs, info, ninfo);
    return ask("cmd=barrier_in\n");
}

/* Append the bytes of the reply's hexadecimal digits, and a 0, to `to`. */
static size_t append(char **to, size_t nbytes, const char *hex)
{
    const size_t n = strspn(hex, "0123456789abcdef") / 2;
    char *const grown = realloc(*to, nbytes + n + 1);
    if (!grown)
        abort();
    for (size_t i = 0; i < n; i++) {
        unsigned byte = 0;
        sscanf(hex + 2 * i, "%2x", &byte);
        grown[nbytes + i] = (char)byte;
    }
    grown[nbytes + n] = 0;
    *to = grown;
    return n;
}

static int get_put(const char *key, struct value *value)
{
    char *all = NULL;
    size_t nbytes = 0, n = PIECE_NBYTES;
    for (int i = 0; n == PIECE_NBYTES; i++) {
        const int err = ask("cmd=get kvsname=%s key=%s.%d\n", job, key, i);
        const char *const text = err ? NULL : field("value");
        if (!text) {
            free(all);
            return err ? err : PMIX_ERROR;
        }
        value->type = *text == 'b' ? PMIX_BYTE_OBJECT : PMIX_STRING;
        n = append(&all, nbytes, text + 1);
        nbytes += n;
    }
    value->data.bo.nbytes = nbytes;
    // the member `string` starts at the same address
    value->data.bo.bytes = all;
    return PMIX_SUCCESS;
}

int PMIx_Get(const struct proc_name *proc, const char *key, const void *info,
             size_t ninfo, struct value **value)
{
    if (hydra < 0)
        REAL(PMIX_ERR_UNREACH,
             (const struct proc_name *, const char *, const void *, size_t,
              struct value **),
             proc, key, info, ninfo, value);
    struct value *const found = calloc(1, VALUE_NBYTES);
    if (!found)
        abort();
    int err = PMIX_SUCCESS;
    const char *const nranks = getenv("PMI_SIZE");
    found->type = PMIX_UINT32;
    if (strcmp(key, "pmix.job.size") == 0 && nranks)
        found->data.uint32 = (uint32_t)atoi(nranks);
    else if (strcmp(key, "pmix.appnum") == 0)
        found->data.uint32 = 0;
    else if (strncmp(key, "pmix.", 5) == 0)
        err = PMIX_ERR_NOT_FOUND; // MPICH then uses its default
    else
        err = get_put(key, found);
    if (err)
        free(found);
    else
        *value = found;
    return err;
}
