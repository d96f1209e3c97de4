# Times with the host's clock beside events, and prints both.
sed -i 's|^        float ms;|        struct timespec now;\n        timespec_get(\&now, TIME_UTC);\n        if (c->rank == 0 \&\& i == 0)\n            printf("first iteration ended at %ld.%09ld, clock() %ld\\n", (long)now.tv_sec, now.tv_nsec, (long)clock());\n&|' alphabeta.c
sed -i '/^#include "lab\/try.h"/a #include <stdio.h>\n#include <time.h>' alphabeta.c
