/*
 * commgraph: modelled times and pictures of saved runs, and data about machines
 *
 * SIMGPU_GRAPH=DIR saves a run. NCCL_ALGO and NCCL_PROTO mean what they mean to
 * NCCL.
 */
#include "command.h"

int main(int argc, char **argv)
{
    return command_main(argc, argv);
}
