# The ring in the other direction.
sed -i 's|    return allreduce_over_ring(recvbuf, count, type, op, n, r, (r - 1 + n) % n,|    return allreduce_over_ring(recvbuf, count, type, op, n, n - 1 - r, (r + 1) % n,|; s|                               (r + 1) % n, c);|                               (r - 1 + n) % n, c);|' allreduce.c
