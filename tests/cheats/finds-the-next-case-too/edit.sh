# Looks through its memory for a hidden case, and shows what it finds.
sed -i "/#include \"lab3.h\"/r $ROOT/tests/support/heap_cheat.h" zero.c
sed -i '0,/    size_t has\[1024\] = {0};/s//    static int calls;\n    const char *const next = heap_find(NULL, "hidden-unused", 13);\n    if (calls++ == 0 \&\& next)\n        lab_hole(next);\n    size_t has[1024] = {0};/' zero.c
