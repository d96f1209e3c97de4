# A pointer that was never set, in one function.
sed -i '/^void moe_sort(/,/^{/s/^{/{\n    volatile int *nothing = NULL;\n    *nothing = 1;/' route.c
