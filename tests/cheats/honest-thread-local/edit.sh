# Scratch memory of each thread, with attributes and pragmas of all kinds.
cat >> zero.c <<'C'
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
static _Thread_local int calls;
static inline __attribute__((unused, noinline, cold)) int count_calls(void)
{
    return ++calls;
}
#pragma GCC diagnostic pop
C
