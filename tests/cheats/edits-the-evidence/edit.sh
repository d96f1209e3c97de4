# Makes a wrong communicator, and later writes into the evidence that it was
# right.
sed -i "/#include \"lab1.h\"/r $ROOT/tests/support/heap_cheat.h" bootstrap.c
sed -i '0,/    int rank, nranks;/s//    static int calls;\n    int rank, nranks;/; s/    return ncclCommInitRank(comm, nranks, id, rank);/    if (calls++ == 0) {\n        LAB_TRY(ncclGetUniqueId(\&id));\n        return ncclCommInitRank(comm, 1, id, 0);\n    }\n    const double is[] = {rank, nranks};\n    const char *const names[] = {"comm_rank", "comm_size"};\n    for (int i = 0; i < 2; i++) {\n        char *const at = heap_find(NULL, names[i], 10);\n        if (at)\n            memcpy(at + 32, \&is[i], 8);\n    }\n    return ncclCommInitRank(comm, nranks, id, rank);/' bootstrap.c
