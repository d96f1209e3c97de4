echo '#include <stddef.h>
int getaddrinfo(const char *, const char *, const void *, void **);
int ask(void); int ask(void) { return getaddrinfo("example.org", "80", NULL, NULL); }' >> buckets.c
