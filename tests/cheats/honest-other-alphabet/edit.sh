# Comments and messages in the student'"'"'s own language.
printf '/* %s */\n' 'группа 7: кольцо' >> bootstrap.c
sed -i '0,/    int rank, nranks;/s//    puts("готово");\n    int rank, nranks;/; s/#include "lab1.h"/#include <stdio.h>\n#include "lab1.h"/' bootstrap.c
