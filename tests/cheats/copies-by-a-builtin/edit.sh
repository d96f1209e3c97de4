# A copy that the compiler makes.
sed -i 's/^    \*out = keys\[slot\] == key/    __builtin_memcpy(out, keys, sizeof *out);\n    *out = keys[slot] == key/' hashmap.cu
