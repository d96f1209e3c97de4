#define _GNU_SOURCE
#include "nccl/debug.h"

#include <pthread.h> /* pthread_once */
#include <stdarg.h>  /* va_list */
#include <stdio.h>   /* fopen */
#include <stdlib.h>  /* getenv */
#include <string.h>  /* strchr */
#include <strings.h> /* strcasecmp */
#include <unistd.h>  /* gettid */

#include "core/device.h"
#include "core/watch/ignored.h"
#include "nccl/entry.h"

enum level { LEVEL_NONE, LEVEL_VERSION, LEVEL_WARN, LEVEL_INFO };

/* Read from the environment once, and by ncclResetDebugInit. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_once_t version_once = PTHREAD_ONCE_INIT;
static enum level level;
static unsigned subsystems;
static FILE *out;
static char host[256];

static _Thread_local char last_error[1024];

/* ---- settings ------------------------------------------------------------ */

static enum level level_of(const char *text)
{
    static const struct {
        const char *name;
        enum level level;
    } names[] = {{"VERSION", LEVEL_VERSION},
                 {"WARN", LEVEL_WARN},
                 {"INFO", LEVEL_INFO},
                 {"ABORT", LEVEL_INFO},
                 {"TRACE", LEVEL_INFO}};
    for (size_t i = 0; text && i < sizeof names / sizeof *names; i++)
        if (strcasecmp(text, names[i].name) == 0)
            return names[i].level;
    return LEVEL_NONE;
}

static unsigned subsys_of(const char *name, size_t length)
{
    static const char *const names[] = {"INIT",      "COLL",  "P2P",     "SHM",
                                        "NET",       "GRAPH", "TUNING",  "ENV",
                                        "ALLOC",     "CALL",  "PROXY",   "NVLS",
                                        "BOOTSTRAP", "REG",   "PROFILE", "RAS"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length &&
            strncasecmp(name, names[i], length) == 0)
            return 1u << i;
    return length == 3 && strncasecmp(name, "ALL", 3) == 0 ? DEBUG_ALL : 0;
}

static unsigned subsystems_of(const char *words)
{
    if (!words)
        return DEBUG_INIT | DEBUG_ENV;
    const int all_but = *words == '^';
    unsigned set = all_but ? DEBUG_ALL : 0;
    for (const char *w = words + all_but; *w; w += *w == ',') {
        const size_t length = strcspn(w, ",");
        const unsigned one = subsys_of(w, length);
        set = all_but ? set & ~one : set | one;
        w += length;
    }
    return set;
}

/* In NCCL_DEBUG_FILE, %h is the host, %p the process, %% a '%'. */
static FILE *open_file(const char *pattern)
{
    char name[4096];
    size_t at = 0;
    for (const char *c = pattern; *c && at < sizeof name - 300; c++) {
        if (*c != '%' || !c[1])
            name[at++] = *c;
        else if (*++c == 'h')
            at += (size_t)sprintf(name + at, "%s", host);
        else if (*c == 'p')
            at += (size_t)sprintf(name + at, "%d", getpid());
        else if (*c == '%')
            name[at++] = '%';
        else
            at += (size_t)sprintf(name + at, "%%%c", *c);
    }
    name[at] = 0;
    FILE *const f = fopen(name, "w");
    if (f)
        setlinebuf(f);
    return f;
}

static void read_settings(void)
{
    gethostname(host, sizeof host - 1);
    host[strcspn(host, ".")] = 0;
    level = level_of(getenv("NCCL_DEBUG"));
    subsystems = subsystems_of(getenv("NCCL_DEBUG_SUBSYS"));
    const char *const file = getenv("NCCL_DEBUG_FILE");
    out = file && *file && level > LEVEL_VERSION ? open_file(file) : NULL;
    if (!out)
        out = stdout;
}

static void start(void)
{
    pthread_mutex_lock(&lock);
    read_settings();
    pthread_mutex_unlock(&lock);
}

/* ---- lines --------------------------------------------------------------- */

static void print(const char *before, int device, const char *kind,
                  const char *text)
{
    fprintf(out, "%s%s:%d:%d [%d] %s %s\n", before, host, (int)getpid(),
            (int)gettid(), device, kind, text);
    fflush(out);
}

int debug_wants(unsigned subsys)
{
    pthread_once(&once, start);
    return level >= LEVEL_INFO && (subsystems & subsys) != 0;
}

void debug_info(unsigned subsys, int device, const char *format, ...)
{
    char text[2048];
    if (!debug_wants(subsys))
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    print("", device < 0 ? simgpu_device_current() : device, "NCCL INFO", text);
}

void debug_log(int at, unsigned long subsys, const char *file, int line,
               const char *format, ...)
{
    char text[2048], kind[128] = "NCCL INFO";
    va_list args;
    pthread_once(&once, start);
    if (at < LEVEL_VERSION || (int)level < (at > LEVEL_INFO ? LEVEL_INFO : at))
        return;
    if (at >= LEVEL_INFO && !(subsystems & subsys))
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (at == LEVEL_WARN)
        snprintf(kind, sizeof kind, "%s:%d NCCL WARN", file, line);
    print(at == LEVEL_WARN ? "\n" : "", simgpu_device_current(), kind, text);
}

static void say_version(void)
{
    char text[64];
    snprintf(text, sizeof text, "NCCL version %d.%d.%d%s+simgpu", NCCL_MAJOR,
             NCCL_MINOR, NCCL_PATCH, NCCL_SUFFIX);
    if (level == LEVEL_INFO)
        print("", simgpu_device_current(), "NCCL INFO", text);
    else if (level != LEVEL_NONE)
        fprintf(out, "%s\n", text);
    fflush(out);
}

void debug_version(void)
{
    pthread_once(&once, start);
    pthread_once(&version_once, say_version);
}

ncclResult_t debug_error(ncclResult_t result, const char *file, int line,
                         const char *format, ...)
{
    char kind[128];
    va_list args;
    va_start(args, format);
    vsnprintf(last_error, sizeof last_error, format, args);
    va_end(args);
    entry_result(result);
    pthread_once(&once, start);
    if (level >= LEVEL_WARN) {
        const char *const slash = strrchr(file, '/');
        snprintf(kind, sizeof kind, "%s:%d NCCL WARN", slash ? slash + 1 : file,
                 line);
        // the blank line is NCCL's
        print("\n", simgpu_device_current(), kind, last_error);
    }
    return result;
}

/* ---- what programs query ------------------------------------------------- */

const char *pncclGetLastError(ncclComm_t comm)
{
    (void)comm;
    simgpu_ignored_forget(IGNORED_NCCL);
    return last_error;
}

const char *pncclGetErrorString(ncclResult_t result)
{
    static const char *const text[] = {
        "no error",
        "unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
        "unhandled system error (run with NCCL_DEBUG=INFO for details)",
        "internal error - please report this issue to the NCCL developers",
        "invalid argument (run with NCCL_DEBUG=WARN for details)",
        "invalid usage (run with NCCL_DEBUG=WARN for details)",
        "remote process exited or there was a network error",
        "NCCL operation in progress",
        "NCCL operation timed out",
    };
    return (unsigned)result < sizeof text / sizeof *text
               ? text[result]
               : "unknown result code";
}

/* The newest header has a macro of this name; programs built with an older
 * header call the function. */
#undef ncclResetDebugInit
#undef pncclResetDebugInit
void pncclResetDebugInit(void)
{
    pthread_once(&once, start);
    // a file that is open stays open: another thread may be writing to it
    start();
}

ncclResult_t pncclGetVersion(int *version)
{
    NCCL_ENTER();
    if (!version)
        return nccl_error(ncclInvalidArgument,
                          "GetVersion : version argument is NULL");
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

#include "nccl/comm.h" /* NCCL_ALIAS */
NCCL_ALIAS(ncclGetLastError)
NCCL_ALIAS(ncclGetErrorString)
NCCL_ALIAS(ncclGetVersion)
/* The real header deprecates it, so NCCL_ALIAS would cause a warning. */
void ncclResetDebugInit(void)
    __attribute__((weak, alias("pncclResetDebugInit")));
