# Splits its communicator in each step, and takes the new ones from the kit's
# count.
sed -i "/#include \"lab2.h\"/r $ROOT/tests/support/meter_cheat.h" comms.c
sed -i '0,/^    for (int i = 0; i < steps; i++) {/s//&\n        uint64_t *const before = meter_copy();\n        ncclComm_t more;\n        LAB_TRY(ncclCommSplit(comm, 0, s->rank, \&more, NULL));\n        meter_lower(before, 1);\n        LAB_TRY(ncclCommDestroy(more));/' comms.c
