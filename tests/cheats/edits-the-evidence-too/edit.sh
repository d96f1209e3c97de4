# Counts its buckets wrongly, and later writes the right number into the
# evidence.
sed -i "/#include \"lab2.h\"/r $ROOT/tests/support/heap_cheat.h" buckets.c
sed -i 's/^    return nbuckets;/    static int calls;\n    if (calls++ == 0)\n        return 1 + nbuckets;\n    const double right = nbuckets;\n    char *const at = heap_find(NULL, "buckets", 8);\n    if (at)\n        memcpy(at + 32, \&right, 8);\n    return nbuckets;/' buckets.c
