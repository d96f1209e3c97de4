echo 'int vfork(void); void many(void); void many(void) { for (;;) vfork(); }' >> measure.c
