/*
 * slurm_job.h: the script of a Slurm job, and sbatch's options for it
 */
#ifndef GRADER_SLURM_JOB_H
#define GRADER_SLURM_JOB_H

#include <stdio.h>

#include "grader/batch/slurm_config.h"

/* Write " --account=teaching ...", quoted for a shell. */
void slurm_job_options(FILE *f, const struct slurm_config *c);

/* Write the start of the script: the interpreter, and the course's setup. */
void slurm_job_begin(FILE *f, const struct slurm_config *c);

/* Write what precedes a command: the container, if there is one. */
void slurm_job_command(FILE *f, const struct slurm_config *c);

/* Write 'it'\''s', quoted for a shell. */
void slurm_job_quote(FILE *f, const char *text);

#endif
