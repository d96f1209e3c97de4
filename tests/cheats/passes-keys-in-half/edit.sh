# Passes keys and values on in half the bytes.
sed -i '/^static ncclResult_t pass(/,/^}/d' ring.c
cat > body <<'C'

static ncclResult_t pass(struct seq *s, int j, struct pair now,
                         struct pair *next)
{
    static uint16_t *room;
    const int to = (s->rank + 1) % s->nranks;
    const int from = (s->rank + s->nranks - 1) % s->nranks;
    const size_t count = seq_block(s);
    float *const *const in = rooms_of(s, j);
    if (!room)
        LAB_TRY_CUDA(cudaMalloc((void **)&room, 4 * count * sizeof *room));
    LAB_TRY(seq_after(s->comm_stream, s->compute, s->event[0]));
    LAB_TRY_CUDA(nn_narrow(room, now.k, count, NN_BF16, s->comm_stream));
    LAB_TRY_CUDA(nn_narrow(room + count, now.v, count, NN_BF16, s->comm_stream));
    LAB_TRY(ncclGroupStart());
    LAB_TRY(ncclSend(room, 2 * count, ncclBfloat16, to, s->comm, s->comm_stream));
    LAB_TRY(ncclRecv(room + 2 * count, 2 * count, ncclBfloat16, from, s->comm, s->comm_stream));
    LAB_TRY(ncclGroupEnd());
    LAB_TRY_CUDA(nn_widen(in[0], room + 2 * count, count, NN_BF16, s->comm_stream));
    LAB_TRY_CUDA(nn_widen(in[1], room + 3 * count, count, NN_BF16, s->comm_stream));
    *next = (struct pair){in[0], in[1]};
    return ncclSuccess;
}
C
n=$(grep -n '^static float \*\*rooms_of' ring.c | cut -d: -f1)
sed -i "$((n + 3))r body" ring.c
sed -i '/^#include "lab\/try.h"/a #include <nn/ops.h>' ring.c
rm body
