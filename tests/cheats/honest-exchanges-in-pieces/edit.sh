# Copies what it exchanges to a buffer of its own, row by row, the last first.
sed -i 's/^static ncclResult_t exchange(/static ncclResult_t exchange_all(/' heads.c
sed -n '/^static ncclResult_t exchange_all(/,/^}/p' heads.c > whole.txt
sed -i '/^static ncclResult_t exchange_all(/,/^}/d' heads.c
cat >> whole.txt <<'C'

static ncclResult_t exchange(struct seq *s, const float *in, float *out,
                             cudaStream_t stream)
{
    static float *rows;
    const size_t n = seq_block(s), most = 200000, row = 24;
    if (n > most)
        return exchange_all(s, in, out, stream);
    if (!rows)
        LAB_TRY_CUDA(cudaMalloc((void **)&rows, most * sizeof *rows));
    for (size_t i = (n - 1) / row + 1; i-- > 0;) {
        const size_t at = i * row, here = n - at < row ? n - at : row;
        LAB_TRY_CUDA(cudaMemcpyAsync(rows + at, in + at, here * sizeof *rows,
                                     cudaMemcpyDeviceToDevice, stream));
    }
    return exchange_all(s, rows, out, stream);
}
C
sed -i '/^#include "lab\/try.h"/r whole.txt' heads.c
rm whole.txt
