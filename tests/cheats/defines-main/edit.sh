echo 'int main(void) { return 0; }' >> p2p.c
