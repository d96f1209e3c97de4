# Dereferences NULL in one case: it costs that case alone.
sed -i '0,/    int rank, nranks;/s//    int rank, nranks; *(volatile int *)0 = 1;/' bootstrap.c
