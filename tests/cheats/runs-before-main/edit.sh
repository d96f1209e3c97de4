# Runs before main, where nothing watches yet.
echo 'volatile int early_ran; __attribute__((constructor)) static void early(void) { early_ran = 1; }' >> p2p.c
