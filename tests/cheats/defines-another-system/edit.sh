# Says that it is compiled by another system's compiler, for which headers are
# not looked at.
{ printf '#define __MINGW32__ 1\n#ifdef __MINGW32__\n#include "/usr/include/search.h"\n#endif\n'; cat bootstrap.c; } > new.c && mv new.c bootstrap.c
