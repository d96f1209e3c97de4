/* Programs ask Open MPI's mpi-ext.h whether MPI takes device pointers. */
#include <mpi-ext.h>
#include <mpi.h>

#include "rule.h"

#if !MPIX_CUDA_AWARE_SUPPORT
#error "mpi-ext.h denies that MPI takes device pointers"
#endif

int main(int argc, char *argv[])
{
    int version, subversion;
    MPI_Init(&argc, &argv);
    MPI_Get_version(&version, &subversion);
    RULE(version >= 3, "Get_version");
    RULE(MPIX_Query_cuda_support() == 1, "Query_cuda_support");
#ifdef MPIX_GPU_SUPPORT_CUDA
    int cuda = 0, hip = 1;
    MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &cuda);
    MPIX_GPU_query_support(MPIX_GPU_SUPPORT_HIP, &hip);
    RULE(cuda && !hip, "GPU_query_support");
#endif
    MPI_Finalize();
    return rule_status();
}
