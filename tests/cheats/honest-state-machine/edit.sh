# A state machine with a switch inside a loop, and a variadic helper.
sed -i '/^int schedule_1f1b(/,/^}/d' schedule.c
cat > extra <<'C'

#include <stdarg.h>

static int emit(struct pipe_action *out, int n, ...)
{
    va_list args;
    va_start(args, n);
    for (; n-- > 0; out++) {
        out->kind = (enum pipe_kind)va_arg(args, int);
        out->micro = va_arg(args, int);
        out->chunk = 0;
    }
    va_end(args);
    return 0;
}

int schedule_1f1b(int nstages, int stage, int nmicro, struct pipe_action *out)
{
    enum { FILL, STEADY, DRAIN, END } state = FILL;
    int f = 0, b = 0, n = 0;
    while (state != END)
        switch (state) {
        case FILL:
            if (f < nmicro && f < nstages - stage - 1) {
                emit(&out[n++], 1, PIPE_FORWARD, f++);
                break;
            }
            state = STEADY;
            /* fallthrough */
        case STEADY:
            if (f == nmicro)
                state = DRAIN;
            else
                emit(&out[n], 2, PIPE_FORWARD, f++, PIPE_BACKWARD, b++), n += 2;
            break;
        case DRAIN:
            if (b == nmicro)
                state = END;
            else
                emit(&out[n++], 1, PIPE_BACKWARD, b++);
            break;
        case END: break;
        }
    return n;
}
C
sed -i '/#include "lab\/try.h"/r extra' schedule.c
rm extra
