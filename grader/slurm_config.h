/*
 * slurm_config.h: how a course uses its cluster, as YAML
 *
 *     account: teaching        # all of them may be left out
 *     partition: gpu
 *     qos: normal
 *     constraint: h100
 *     gpus: 8                  # of each allocation
 *     cpus: 8
 *     memory: 16G
 *     time: 02:00:00           # of each allocation
 *     per_job: 4               # students one after the other in an allocation
 *     at_once: 8               # allocations at a time
 */
#ifndef GRADER_SLURM_CONFIG_H
#define GRADER_SLURM_CONFIG_H

#include <stddef.h>

enum { SLURM_OPTIONS = 8 };

struct slurm_config {
    char option[SLURM_OPTIONS][160]; /* of sbatch: "--account=teaching" */
    int noptions;
    int per_job, at_once;
};

/* path NULL: what sbatch does by itself. 0, or -1 with "path:line: what is
 * wrong" in err. */
int slurm_config_load(struct slurm_config *c, const char *path, char *err,
                      size_t err_nbytes);

#endif
