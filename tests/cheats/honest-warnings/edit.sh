# Warnings are the student'"'"'s to read, not ours to punish.
sed -i '0,/    int rank, nranks;/s//    int unused, rank, nranks; if (0) ;/' bootstrap.c
