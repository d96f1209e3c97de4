#define _GNU_SOURCE
#include "lab/rerun.h"

#include <errno.h>  /* program_invocation_name */
#include <stdio.h>  /* fmemopen */
#include <stdlib.h> /* getenv */
#include <string.h> /* strcmp */
#include <unistd.h> /* environ */

#include "judge/judge.h"

enum { MAX_NCCL = 64 };

/* Variables of the environment that change what a case does, with the values
 * that main() gives them. */
static const struct {
    const char *name, *usual;
} variables[] = {{"SIMGPU_SCHEDULE", PLAN_SCHEDULE},
                 {"SIMGPU_FILL", "poison"},
                 {"SIMGPU_CORES", "1"},
                 {"SIMGPU_FAIL", "end"},
                 {"CUDA_MODULE_LOADING", "EAGER"},
                 {"CUDA_VISIBLE_DEVICES", NULL},

                 {"COMMLAB_STUDENT", NULL}};

/* Write a word as a shell reads it back. */
static void put_word(FILE *f, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrst"
                                "uvwxyz0123456789_@%+=:,./-";
    if (*word && word[strspn(word, plain)] == 0) {
        fputs(word, f);
        return;
    }
    fputc('\'', f);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", f);
        else
            fputc(*word, f);
    fputc('\'', f);
}

static void put_variable(FILE *f, const char *name, const char *value)
{
    fprintf(f, "%s=", name);
    put_word(f, value);
    fputc(' ', f);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* NCCL's settings, sorted by name; not those of its log. */
static void put_nccl(FILE *f)
{
    char *set[MAX_NCCL];
    size_t n = 0;
    for (char **e = environ; *e && n < MAX_NCCL; e++)
        if (strncmp(*e, "NCCL_", 5) == 0 &&
            strncmp(*e, "NCCL_DEBUG", 10) != 0 && strchr(*e, '='))
            set[n++] = *e;
    qsort(set, n, sizeof *set, by_name);
    for (size_t i = 0; i < n; i++) {
        const char *const value = strchr(set[i], '=') + 1;
        fprintf(f, "%.*s", (int)(value - set[i]), set[i]);
        put_word(f, value);
        fputc(' ', f);
    }
}

static void put_variables(FILE *f, const struct plan_case *c)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *const usual = variables[i].usual;
        const char *const set = getenv(variables[i].name);
        const int is_student =
            strcmp(variables[i].name, "COMMLAB_STUDENT") == 0;
        if (set && *set && !(usual && strcmp(set, usual) == 0) &&
            !(is_student && strcmp(c->kind, JUDGE_ANSWER) != 0))
            put_variable(f, variables[i].name, set);
    }
    put_nccl(f);
}

void rerun_text(const struct plan_case *c, const struct lab_options *o,
                const char *machine, int nranks, char out[RERUN_NBYTES])
{
    FILE *const f = fmemopen(out, RERUN_NBYTES, "w");
    out[0] = 0;
    if (!f)
        return;
    if (machine && *machine)
        put_variable(f, "SIMGPU_TOPO", machine);
    put_variables(f, c);
    fprintf(f, "mpirun -n %d ", nranks);
    put_word(f, program_invocation_name);
    fprintf(f, " --case %s%s", c->name, c->hidden ? " --hidden" : "");
    if (o->iterations != OPTIONS_DEFAULT_ITERATIONS)
        fprintf(f, " --iterations %d", o->iterations);
    if (o->warmup)
        fprintf(f, " --warmup %d", o->warmup);
    fprintf(f, " --%s %llu", o->has_key ? "key" : "seed",
            (unsigned long long)(o->has_key ? o->key : o->seed));
    fclose(f);
}
