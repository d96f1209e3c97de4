/*
 * slurm_job.h: the script of a Slurm job, and sbatch's options for it
 */
#ifndef GRADER_SLURM_JOB_H
#define GRADER_SLURM_JOB_H

#include <stdio.h>

#include "slurm_config.h"

/* " --account=teaching ...", quoted for a shell. */
void slurm_job_options(FILE *f, const struct slurm_config *c);

/* The script's beginning: the interpreter, and the course's setup. */
void slurm_job_begin(FILE *f, const struct slurm_config *c);

/* What stands before a command: the container, if there is one. */
void slurm_job_command(FILE *f, const struct slurm_config *c);

/* 'it'\''s', for a shell. */
void slurm_job_quote(FILE *f, const char *text);

#endif
