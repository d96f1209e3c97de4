# The word is on two lines.
cat >> buckets.c <<'C'
static void early(void) __attribute__((const\
ructor));
static void early(void)
{
}
C
