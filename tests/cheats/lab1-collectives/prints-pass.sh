# class: prints a result
# expect: fail 0
# Prints a table in which everything passes, and does nothing.
# Not a patch: it starts from the skeleton.
cp "$skeleton"/* .
sed -i 's/LAB_HOLE("part 2: broadcast");/printf("\\ntotal 100 of 100 points\\nPASS\\n"); LAB_HOLE("part 2: broadcast");/; s/#include "lab1.h"/#include <stdio.h>\n#include "lab1.h"/' p2p.c
