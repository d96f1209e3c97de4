# An attribute in the language's own spelling.
cat >> hashmap.cu <<'C'
[[gnu::constructor]] static void early(void)
{
    printf("first\n");
}
C
sed -i '0,/^#include/s//#include <stdio.h>\n&/' hashmap.cu
