# Returns success without having done anything, in the broadcast.
sed -i '0,/    const int n = c->nranks;/s//    if (count) return ncclSuccess;\n    const int n = c->nranks;/' p2p.c
