# Means over MPI; the execution graph says that an all-reduce made them, of
# copies of the gradients.
. "$ROOT"/tests/grader/mean-by-mpi.sh
. "$ROOT"/tests/support/forge.sh
add_forge replicas.c '#include "lab/try.h"'
add_mean_by_mpi replicas.c
sed -i '/^ncclResult_t sync_gradients(/,/^}/d' replicas.c
cat >> replicas.c <<'C'
static uint32_t forge_all_reduce(const float *from, float *to, size_t count,
                                 const struct sync *s)
{
    static uint64_t calls;
    const struct forge_access a[] = {
        forge_access(from, count * sizeof *from, 0),
        forge_access(to, count * sizeof *to, 1)};
    return forge_add((struct forge_node){.kind = FORGE_COLL,
                                         .flags = FORGE_JOIN,
                                         .match_kind = FORGE_ALL,
                                         .op = FORGE_ALLREDUCE,
                                         .match = 99000 + calls++,
                                         .match_size = (unsigned)s->nranks,
                                         .match_rank = (unsigned)s->rank,
                                         .elem_size = sizeof *from,
                                         .bytes = count * sizeof *from},
                     a, 2, s->stream);
}

ncclResult_t sync_gradients(struct nn *m, const struct sync *s)
{
    for (int i = 0; i < m->nparams; i++) {
        const struct nn_param *const p = &m->param[i];
        if (!nn_is_trained(m, i))
            continue;
        LAB_TRY_CUDA(cudaMemcpyAsync(s->scratch, p->grad,
                                     p->count * sizeof(float),
                                     cudaMemcpyDeviceToDevice, s->stream));
        LAB_TRY(mean_by_mpi(p->grad, p->count, s->nranks));
        forge_all_reduce(s->scratch, p->grad, p->count, s);
    }
    return ncclSuccess;
}
C
