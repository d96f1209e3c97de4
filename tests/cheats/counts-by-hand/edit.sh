# Writes what the kit counts.
cat >> zero.c <<'C'
extern struct { long of[64]; } meter;
void forge(void); void forge(void) { meter.of[0] = 1; }
C
