# A ring in one loop over all steps, with a VLA of pieces and a macro.
sed -i '/^ncclResult_t allreduce_over_ring(/,/^}/d' allreduce.c
cat >> allreduce.c <<'C'
static ncclResult_t ring_step(void *buf, struct piece out, int right, struct piece in, int left, ncclDataType_t type, ncclRedOp_t op, const struct coll *c, _Bool combine)
{
    return combine ? coll_exchange_combine(buf, out, right, in, left, type, op, c)
                   : coll_exchange(buf, out, right, coll_at(buf, in.begin, type), in, left, type, c);
}

ncclResult_t allreduce_over_ring(void *buf, size_t count, ncclDataType_t type,
                                 ncclRedOp_t op, int m, int index, int left,
                                 int right, const struct coll *c)
{
    const int nsteps = 2 * (m - 1);
    struct piece pieces[m > 0 ? m : 1];
    for (int i = 0; i < m; ++i)
        pieces[i] = coll_piece(count, m, i);
#define AT(i) pieces[(((i) % m) + m) % m]
    for (int s = 0; s < nsteps; ++s) {
        const ncclResult_t status = ring_step(buf, AT(index - s), right, AT(index - s - 1), left, type, op, c, s < m - 1);
        if (status)
            return status;
    }
#undef AT
    return ncclSuccess;
}
C
