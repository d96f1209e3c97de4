# Half the bytes: the gradients are rounded first.
sed -i '/^ncclResult_t sync_gradients(/,/^}/d' replicas.c
cat >> replicas.c <<'C'
ncclResult_t sync_gradients(struct nn *m, const struct sync *s)
{
    for (int i = 0; i < m->nparams; i++) {
        const struct nn_param *const p = &m->param[i];
        if (!nn_is_trained(m, i))
            continue;
        LAB_TRY_CUDA(nn_narrow((uint16_t *)s->scratch, p->grad, p->count, NN_FP16, s->stream));
        LAB_TRY(ncclAllReduce(s->scratch, s->scratch, p->count, ncclHalf, ncclAvg, s->comm, s->stream));
        LAB_TRY_CUDA(nn_widen(p->grad, (const uint16_t *)s->scratch, p->count, NN_FP16, s->stream));
    }
    return ncclSuccess;
}
C
