echo 'int dl_iterate_phdr(void *, void *); int walk(void); int walk(void) { return dl_iterate_phdr(0, 0); }' >> zero.c
