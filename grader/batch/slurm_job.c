#include "grader/batch/slurm_job.h"

void slurm_job_quote(FILE *f, const char *text)
{
    fputc('\'', f);
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", f);
        else
            fputc(*text, f);
    fputc('\'', f);
}

void slurm_job_options(FILE *f, const struct slurm_config *c)
{
    for (int i = 0; i < SLURM_OPTIONS; i++) {
        if (!c->option[i][0])
            continue;
        fputc(' ', f);
        slurm_job_quote(f, c->option[i]);
    }
}

void slurm_job_begin(FILE *f, const struct slurm_config *c)
{
    // a login shell, which has the functions of environment modules
    fprintf(f, "#!/bin/bash -l\n%s%s", c->setup, c->setup[0] ? "\n" : "");
}

void slurm_job_command(FILE *f, const struct slurm_config *c)
{
    fprintf(f, "%s%s", c->container, c->container[0] ? " " : "");
}
