# Makes its operations free in the execution graph, once they are enqueued.
sed -i "/#include \"lab1.h\"/r $ROOT/tests/support/graph_cheat.h" allreduce.c
sed -i "/#include \"lab1.h\"/r $ROOT/tests/support/heap_cheat.h" allreduce.c
sed -i '/^ncclResult_t allreduce_ring/,/^}/{s/    return allreduce_over_ring(/    const ncclResult_t err = allreduce_over_ring(/; s/(r + 1) % n, c);/(r + 1) % n, c);\n    graph_edit();\n    return err;/}' allreduce.c
