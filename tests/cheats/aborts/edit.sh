# Ends the run at a moment of its own choosing.
echo '#include <stdlib.h>
void give_up(void); void give_up(void) { abort(); }' >> p2p.c
