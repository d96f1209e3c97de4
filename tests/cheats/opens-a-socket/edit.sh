# Asks a friend.
echo '#include <sys/socket.h>
int ask(void); int ask(void) { return socket(AF_INET, SOCK_STREAM, 0); }' >> p2p.c
