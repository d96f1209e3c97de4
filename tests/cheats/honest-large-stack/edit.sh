# A megabyte on the stack.
sed -i '0,/    int rank, nranks;/s//    volatile char large[1 << 20];\n    large[0] = large[sizeof large - 1] = 1;\n    int rank, nranks;/' bootstrap.c
