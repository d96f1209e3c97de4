# Makes its operations free in the execution graph, once they are enqueued.
head=$(grep -n '#include "lab7.h"' layer.c | cut -d: -f1)
sed -i "${head}r $ROOT/tests/support/graph_cheat.h" layer.c
sed -i "${head}r $ROOT/tests/support/heap_cheat.h" layer.c
sed -i 's/^ncclResult_t moe_layer(/static ncclResult_t layer(/' layer.c
sed -n '/^static ncclResult_t layer(/,/^{/p' layer.c > head.txt
sed 's/^static ncclResult_t layer(/ncclResult_t moe_layer(/' head.txt >> layer.c
names=$(tr '\n' ' ' < head.txt | sed 's/^[^(]*(//; s/).*//' | tr ',' '\n' | sed 's/.*[ *]//' | paste -sd, -)
rm head.txt
printf '    const ncclResult_t err = layer(%s);\n    graph_edit();\n    return err;\n}\n' "$names" >> layer.c
