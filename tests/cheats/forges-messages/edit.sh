# Broadcasts by MPI, behind simgpu's back, and writes messages into the
# execution graph that would have brought the root's bytes.
. "$ROOT"/tests/support/forge.sh
add_forge p2p.c '#include "lab1.h"'
sed -i '/^ncclResult_t p2p_broadcast(/,/^}/d' p2p.c
cat >> p2p.c <<'C'
static void forge_message(int to, int partner, const void *p, size_t nbytes,
                          uint64_t call, const struct coll *c)
{
    const int receives = c->rank == to;
    const struct forge_access a = forge_access(p, nbytes, receives);
    forge_add((struct forge_node){.kind = receives ? FORGE_RECV : FORGE_SEND,
                                  .match_kind = FORGE_PAIR,
                                  .op = FORGE_SENDRECV,
                                  .peer_place = partner,
                                  .match = 77000 + 64 * call + (unsigned)to,
                                  .match_size = 2,
                                  .match_rank = (unsigned)receives,
                                  .elem_size = 1,
                                  .bytes = nbytes},
              &a, 1, c->stream);
}

ncclResult_t p2p_broadcast(const void *sendbuf, void *recvbuf, size_t count,
                           ncclDataType_t type, int root, const struct coll *c)
{
    static uint64_t calls;
    const size_t nbytes = count * coll_type_size(type);
    char *const h = malloc(nbytes + 1);
    calls++;
    if (c->rank == root) {
        memcpy(h, forge_raw(sendbuf), nbytes);
        LAB_TRY(coll_copy(recvbuf, sendbuf, count, type, c->stream));
    }
    MPI_Bcast(h, (int)nbytes, MPI_BYTE, root, MPI_COMM_WORLD);
    if (c->rank != root)
        memcpy(forge_raw(recvbuf), h, nbytes);
    free(h);
    const int n = c->nranks, v = (c->rank - root + n) % n;
    int top = 1;
    while (top < n)
        top *= 2;
    for (int bit = top / 2; bit > 0; bit /= 2) {
        const int partner = ((v ^ bit) + root) % n;
        if (v % (2 * bit) == 0 && v + bit < n)
            forge_message(partner, partner, recvbuf, nbytes, calls, c);
        if (v % (2 * bit) == bit)
            forge_message(c->rank, partner, recvbuf, nbytes, calls, c);
    }
    return ncclSuccess;
}
C
