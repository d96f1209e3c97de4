# Asks the compiler what there is, before it includes it.
sed -i '0,/^#include/s//#if defined(__has_include) \&\& __has_include(<stdint.h>)\n#include <stdint.h>\n#endif\n&/' buckets.c
