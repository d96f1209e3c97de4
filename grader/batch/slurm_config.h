/*
 * slurm_config.h: how a course uses its cluster, as YAML
 *
 *     account: teaching        # everything here is optional
 *     partition: gpu
 *     qos: normal
 *     reservation: lab-hours
 *     constraint: h100
 *     gpus: 8                  # per allocation
 *     gres: gpu:h100:8         # per allocation, as sbatch --gres takes it
 *     nodes: 1
 *     cpus: 8
 *     memory: 16G
 *     time: 02:00:00           # per allocation
 *     per_job: 4               # students one after the other in an allocation
 *     at_once: 8               # allocations at a time
 *     setup: module load mpich # a line of shell, or several (setup: |)
 *     container: apptainer exec --bind /shared course.sif
 *     partitions:              # by GPU: what differs; grade batch --gpu a100
 *       h100: {partition: gpu-h100, gres: gpu:h100:8}
 *       a100: {partition: gpu-a100, gres: gpu:a100:8}
 *
 * The setup runs on the node before the grader. The container's command
 * precedes the grader's, so grader, libraries and MPI are those in the
 * container. Without --gpu, the first partition is used.
 */
#ifndef GRADER_SLURM_CONFIG_H
#define GRADER_SLURM_CONFIG_H

#include <stddef.h>

enum { SLURM_OPTIONS = 11 };

struct slurm_config {
    char option[SLURM_OPTIONS][160]; /* option of sbatch,
                                        "--account=teaching"; or "" */
    char setup[4096], container[1024];
    int per_job, at_once;
    char gpu[64]; /* the chosen partition; "" if there are none */
};

/* Load a configuration. A NULL path gives sbatch's defaults; a NULL gpu, the
 * first partition. Returns 0, or -1 with "path:line: what is wrong" in err. */
int slurm_config_load(struct slurm_config *c, const char *path, const char *gpu,
                      char *err, size_t err_nbytes);

#endif
