# A server that gets gradients by MPI, and answers by NCCL.
sed -i '/^static ncclResult_t collect(/,/^}/d; /^ncclResult_t server_step(/,/^}/d' server.c
cat >> server.c <<'C'
static size_t total(const struct nn *m)
{
    size_t n = 0;
    for (int i = 0; i < m->nparams; i++)
        n += nn_is_trained(m, i) ? m->param[i].count : 0;
    return n;
}

ncclResult_t server_step(struct nn *m, const struct nn_batch *batch,
                         struct nn_optimizer *o, const struct sync *s)
{
    const size_t n = total(m);
    float *const mine = malloc(n * sizeof *mine), *const all = malloc(n * sizeof *all);
    size_t at = 0;
    LAB_TRY(compute(m, batch));
    for (int i = 0; i < m->nparams; i++)
        if (nn_is_trained(m, i)) {
            LAB_TRY_CUDA(cudaMemcpyAsync(mine + at, m->param[i].grad, m->param[i].count * sizeof *mine, cudaMemcpyDeviceToHost, s->stream));
            at += m->param[i].count;
        }
    LAB_TRY_CUDA(cudaStreamSynchronize(s->stream));
    MPI_Reduce(mine, all, (int)n, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
    at = 0;
    for (int i = 0; s->rank == 0 && i < m->nparams; i++)
        if (nn_is_trained(m, i)) {
            for (size_t k = 0; k < m->param[i].count; k++)
                all[at + k] /= (float)s->nranks;
            LAB_TRY_CUDA(cudaMemcpyAsync(m->param[i].grad, all + at, m->param[i].count * sizeof *all, cudaMemcpyHostToDevice, s->stream));
            at += m->param[i].count;
        }
    LAB_TRY_CUDA(cudaStreamSynchronize(s->stream));
    if (s->rank == 0)
        LAB_TRY_CUDA(nn_optimizer_step(o, m));
    for (int i = 0; i < m->nparams; i++) { // as many as the contract asks for
        const struct nn_param *const p = &m->param[i];
        if (!nn_is_trained(m, i))
            continue;
        if (s->rank) {
            LAB_TRY(ncclSend(p->grad, p->count, ncclFloat, 0, s->comm, s->stream));
            LAB_TRY(ncclRecv(p->value, p->count, ncclFloat, 0, s->comm, s->stream));
        }
        for (int r = 1; s->rank == 0 && r < s->nranks; r++) {
            LAB_TRY(ncclRecv(s->scratch, p->count, ncclFloat, r, s->comm, s->stream));
            LAB_TRY(ncclSend(p->value, p->count, ncclFloat, r, s->comm, s->stream));
        }
    }
    free(mine);
    free(all);
    return ncclSuccess;
}
C
sed -i '/^#include "lab\/try.h"/a #include <mpi.h>\n#include <stdlib.h>' server.c
