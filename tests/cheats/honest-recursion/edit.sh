# A deep one, with a static array beside it.
echo 'static int depth_seen[1024]; int deep(int n); int deep(int n) { depth_seen[n % 1024] = n; return n ? 1 + deep(n - 1) : 0; }' >> bootstrap.c
sed -i '0,/    int rank, nranks;/s//    extern int deep(int); if (deep(10000) != 10000) return ncclInternalError;\n    int rank, nranks;/' bootstrap.c
