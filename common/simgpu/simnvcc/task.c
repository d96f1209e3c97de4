#define _GNU_SOURCE
#include "task.h"

#include <errno.h>    /* errno */
#include <stdio.h>    /* fprintf */
#include <stdlib.h>   /* abort */
#include <string.h>   /* strcmp */
#include <sys/wait.h> /* waitpid */
#include <unistd.h>   /* execvp */

/* ---- commands and files -------------------------------------------------- */

void task_show(const struct nvcc_args *a)
{
    fprintf(stderr, "#$ ");
    for (int i = 0; i < a->n; i++)
        fprintf(stderr, strpbrk(a->v[i], " \"()") ? "\"%s\" " : "%s ", a->v[i]);
    fprintf(stderr, "\n");
}

int task_run_into(const struct nvcc_task *t, struct nvcc_args *a,
                  const char *said)
{
    a->v[a->n] = NULL;
    if (t->o.verbose)
        task_show(a);
    if (t->o.dry_run)
        return 0;
    const pid_t pid = fork();
    if (pid == 0) {
        if (said && !freopen(said, "w", stderr))
            _exit(127);
        execvp(a->v[0], (char *const *)a->v);
        fprintf(stderr, "simnvcc: %s: %s\n", a->v[0], strerror(errno));
        _exit(127);
    }
    int status = 1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int task_run(const struct nvcc_task *t, struct nvcc_args *a)
{
    return task_run_into(t, a, NULL);
}

char *text_join(const char *a, const char *b)
{
    char *text;
    if (asprintf(&text, "%s%s", a, b) < 0)
        abort();
    return text;
}

char *file_read(const char *path)
{
    FILE *const f = fopen(path, "re");
    char *text = NULL;
    size_t nbytes = 0;
    if (f && getdelim(&text, &nbytes, '\0', f) < 0)
        text = strdup("");
    if (f)
        fclose(f);
    return text;
}

const char *file_name(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *file_renamed(const char *folder, const char *path, const char *ending)
{
    const char *const name = file_name(path);
    const char *const dot = strrchr(name, '.');
    char *text;
    if (asprintf(&text, "%s%s%.*s%s", folder, *folder ? "/" : "",
                 dot ? (int)(dot - name) : (int)strlen(name), name, ending) < 0)
        abort();
    return text;
}

char *file_beside(const char *path, const char *ending)
{
    const char *const dot = strrchr(path, '.'), *const slash =
                                                    strrchr(path, '/');
    char *text;
    if (asprintf(&text, "%.*s%s",
                 dot > slash ? (int)(dot - path) : (int)strlen(path), path,
                 ending) < 0)
        abort();
    return text;
}

/* ---- kinds of files ------------------------------------------------------ */

static int ends_with(const char *s, const char *end)
{
    const size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

int file_is_cuda(const struct nvcc_task *t, const char *path)
{
    if (t->o.language && path[0] != '-' && !ends_with(path, ".o"))
        return !strcmp(t->o.language, "cu") || !strcmp(t->o.language, "cuda");
    return ends_with(path, ".cu");
}

int file_is_c(const struct nvcc_task *t, const char *path)
{
    return t->o.language ? !strcmp(t->o.language, "c") : ends_with(path, ".c");
}

int file_is_source(const struct nvcc_task *t, const char *path)
{
    static const char *const endings[] = {".c", ".cc", ".cpp", ".cxx", ".c++",
                                          ".C", ".s",  ".S",   ".ii",  ".i"};
    if (path[0] == '-')
        return 0;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(path, endings[i]))
            return 1;
    return file_is_cuda(t, path) || (t->o.language && file_is_c(t, path));
}

int file_is_program(const char *path)
{
    return !strchr(file_name(path), '.') && access(path, X_OK) == 0;
}
