# Conditions that look false and are true.
{ printf '#define ZERO 1\n#if 0 || ZERO\n#if !(0 && ZERO) // #if 0\n#if 0 == 0 /*\n#if 0 */\n#if 1 - 1\n#elif 0\n#else\n#include "/usr/include/search.h"\n#endif\n#endif\n#endif\n#endif\n'; cat zero.c; } > new.c && mv new.c zero.c
