# The same, to hide a directive from a reader of the source.
{ echo "#define UNUSED 1'a/*'"; echo '#include "/usr/include/search.h"'; echo '/* */'; cat zero.c; } > new.c && mv new.c zero.c
