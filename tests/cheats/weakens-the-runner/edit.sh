# A hole that is none, for itself alone.
echo 'void lab_hole(const char *what) { (void)what; for (;;) ; }' >> p2p.c
