#define _GNU_SOURCE
#include "grader/job/backend.h"

#include <fcntl.h>    /* open */
#include <stdio.h>    /* popen */
#include <string.h>   /* strcmp */
#include <sys/file.h> /* flock */
#include <unistd.h>   /* close */

static const struct backend backends[] = {{"sim"}, {"cuda"}};
static const struct backend *const sim = &backends[0], *const cuda =
                                                           &backends[1];

const struct backend *backend_find(const char *name)
{
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
        if (strcmp(backends[i].name, name) == 0)
            return &backends[i];
    return NULL;
}

/* The first line of a file, or of a command's output; -1 if there is none. */
static int first_line(FILE *f, char *out, size_t nbytes)
{
    const int err = f && fgets(out, (int)nbytes, f) ? 0 : -1;
    if (err == 0)
        out[strcspn(out, "\n")] = 0;
    return err;
}

/* Read build/backend, where make notes which library the programs in that
 * folder are linked with, and CUDA's folder. NULL if there is no such file. */
static const struct backend *find_built(struct machine *m, const char *build)
{
    char path[PATH_MAX + 32], name[32];
    snprintf(path, sizeof path, "%s/backend", build);
    FILE *const f = fopen(path, "re");
    const int err = first_line(f, name, sizeof name) |
                    first_line(f, m->home, sizeof m->home);
    if (f)
        fclose(f);
    return err ? NULL : backend_find(name);
}

static int load_toolchain(struct machine *m, const char *build, char *err,
                          size_t err_nbytes)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/%s/toolchain", build, m->backend->name);
    FILE *const f = fopen(path, "re");
    const size_t most = sizeof m->toolchain - 2;
    const size_t n = f ? fread(m->toolchain + 1, 1, most, f) : 0;
    if (f)
        fclose(f);
    m->toolchain[0] = '\n'; // so that a newline precedes each line
    m->toolchain[n + 1] = 0;
    if (n > 0 && n < most)
        return 0;
    snprintf(err, err_nbytes, "%s is missing: run make GPU=%s", path,
             m->backend->name);
    return -1;
}

void machine_toolchain(const struct machine *m, const char *variable,
                       char value[BACKEND_TOOLCHAIN])
{
    char begin[32];
    value[0] = 0;
    const int n = snprintf(begin, sizeof begin, "\n%s=\"", variable);
    const char *const at = strstr(m->toolchain, begin);
    if (at)
        snprintf(value, BACKEND_TOOLCHAIN, "%.*s", (int)strcspn(at + n, "\""),
                 at + n);
}

int machine_find(struct machine *m, const char *build, const char *name,
                 int measured, char *err, size_t err_nbytes)
{
    *m = (struct machine){.measured = measured};
    const struct backend *const built = find_built(m, build);
    m->backend = name ? backend_find(name) : built;
    if (!built || !m->backend) {
        snprintf(err, err_nbytes, "%s/backend is missing: run make", build);
        return -1;
    }
    m->measured |= m->backend == cuda;
    if (m->measured && m->backend != built) {
        snprintf(err, err_nbytes,
                 "%s has programs for %s, and what is measured needs them for "
                 "%s: run make GPU=%s",
                 build, built->name, m->backend->name, m->backend->name);
        return -1;
    }
    if (m->backend == sim && snprintf(m->home, sizeof m->home, "%s/simgpu",
                                      build) >= (int)sizeof m->home) {
        snprintf(err, err_nbytes, "the kit's path is too long");
        return -1;
    }
    snprintf(m->seen, sizeof m->seen, "%s",
             m->backend == sim ? "/simgpu" : m->home);
    return load_toolchain(m, build, err, err_nbytes);
}

int machine_probe(struct machine *m, const char *build, char *err,
                  size_t err_nbytes)
{
    char command[PATH_MAX + 64];
    json_error_t error;
    snprintf(command, sizeof command, "'%s/probe' --json 2>&1", build);
    FILE *const f = popen(command, "re");
    m->gpus = f ? json_loadf(f, 0, &error) : NULL;
    if (f)
        pclose(f);
    m->ngpus = (int)json_array_size(json_object_get(m->gpus, "devices"));
    const char *const why =
        json_string_value(json_object_get(m->gpus, "error"));
    if (m->gpus && m->ngpus > 0)
        return 0;
    snprintf(err, err_nbytes,
             "no GPU can be used here: %s (--backend sim needs none)",
             why       ? why
             : m->gpus ? "none was found (make doctor says more)"
                       : "build/probe cannot be run (make builds it)");
    return -1;
}

json_t *machine_clocks(const struct machine *m)
{
    char line[256];
    if (m->backend != cuda)
        return NULL;
    FILE *const f = popen(
        "nvidia-smi --query-gpu=index,clocks.sm,clocks.mem,temperature.gpu,"
        "power.draw,clocks_throttle_reasons.active --format=csv,noheader "
        "2>/dev/null",
        "re");
    json_t *const clocks = json_array();
    while (first_line(f, line, sizeof line) == 0)
        json_array_append_new(clocks, json_string(line));
    if (f)
        pclose(f);
    return clocks;
}

int machine_is_real(const struct machine *m)
{
    return m->backend == cuda;
}

int machine_lock(const struct machine *m)
{
    // the driver's file belongs to this node, wherever the kit is mounted from
    const int fd =
        m->backend == cuda ? open("/dev/nvidiactl", O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0)
        flock(fd, LOCK_EX);
    return fd;
}

void machine_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}
