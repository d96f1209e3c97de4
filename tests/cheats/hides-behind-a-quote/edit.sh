# In C a quote behind a digit begins a character constant, in which a comment
# cannot begin: what follows is part of the program.
{ echo "#pragma omp 1'a/*'"; echo '#include "lab1.h"'; echo '#include "lab/try.h"'
cat <<'C'
#define TEXT(x) #x
static const char *text(void) { return TEXT(1'a/*'); }
const char *hidden(void);
const char *hidden(void) { __asm__("nop"); return text(); }
/* */
C
sed '1,/#include "lab\/try.h"/d' bootstrap.c; } > new.c && mv new.c bootstrap.c
