# Tokens by MPI_Alltoallv.
sed -i '/^ncclResult_t moe_dispatch(/,/^}/d; s|#include "lab7.h"|#include <mpi.h>\n#include <stdlib.h>\n#include "lab7.h"|' travel.c
cat >> travel.c <<'C'

ncclResult_t moe_dispatch(const struct moe *m, const struct moe_route *route, const float *packed, float *recvbuf, cudaStream_t stream)
{
    int count[4][MOE_MAX_RANKS], nsend = 0;
    for (int r = 0; r < m->nranks; r++) {
        count[0][r] = route->send_count[r] * m->dim;
        count[1][r] = route->send_begin[r] * m->dim;
        count[2][r] = route->recv_count[r] * m->dim;
        count[3][r] = route->recv_begin[r] * m->dim;
        nsend += count[0][r];
    }
    const int nrecv = route->nrecv * m->dim;
    float *const out = malloc((size_t)(nsend + nrecv + 1) * sizeof *out), *const in = out + nsend;
    cudaStreamSynchronize(stream);
    cudaMemcpy(out, packed, (size_t)nsend * sizeof *out, cudaMemcpyDeviceToHost);
    MPI_Alltoallv(out, count[0], count[1], MPI_FLOAT, in, count[2], count[3], MPI_FLOAT, MPI_COMM_WORLD);
    cudaMemcpy(recvbuf, in, (size_t)nrecv * sizeof *in, cudaMemcpyHostToDevice);
    free(out);
    return ncclSuccess;
}
C
