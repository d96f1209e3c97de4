# Gathers shares by broadcasts in a group.
sed -i '/^    LAB_TRY(ncclAllGather(s->value + u->begin, whole/,/;$/c\    LAB_TRY(ncclGroupStart());\n    for (int r = 0; r < s->plan.nranks; r++)\n        LAB_TRY(ncclBroadcast(s->value + u->begin, whole + (size_t)r * u->share, u->share, ncclFloat, r, s->comm, stream));\n    LAB_TRY(ncclGroupEnd());' zero2.c
