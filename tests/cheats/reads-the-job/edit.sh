# Looks for the case in the folder of the job.
cat >> zero.c <<'C'
#include <fcntl.h>
#include <unistd.h>
int look(void); int look(void) { return open("/job/rank-0.job", O_RDONLY); }
C
