/*
 * commgraph: modelled times and pictures of saved runs, and figures of
 * machines
 *
 * SIMGPU_GRAPH=DIR saves a run. NCCL_ALGO and NCCL_PROTO have the same
 * meaning as for NCCL.
 */
#include "command.h"

int main(int argc, char **argv)
{
    return command_main(argc, argv);
}
