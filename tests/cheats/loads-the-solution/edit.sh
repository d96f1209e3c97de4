echo 'void *dlsym(void *, const char *); void *find(void); void *find(void) { return dlsym(0, "tp_row_forward"); }' >> tensor.c
