# A language of its own, made of macros, some with names that others have.
sed -i '/#include "lab\/try.h"/a #define BEGIN {\n#define END }\n#define FN static\n#define IS ==\n#define procedure void\n#define repeat do\n#define until(x) while (!(x))\n#define min(a, b) ((a) < (b) ? (a) : (b))\n#define MAX_(a, b) ({ __typeof__(a) _a = (a); __auto_type _b = (b); _a > _b ? _a : _b; })\n#define stream odd_stream\n#define judge odd_judge\n#define lab(x, ...) x##__VA_ARGS__\n#define UNUSED __attribute__((__unused__))\n#define UNIQUE_(a, b) a##b\n#define UNIQUE__(a, b) UNIQUE_(a, b)\n#define UNIQUE(a) UNIQUE__(a, __COUNTER__)\n#define unless(x) if (!(x))\n#define ever (;;)' balance.c
cat >> balance.c <<'C'
FN procedure judge(int stream UNUSED)
BEGIN
    int lab(a, b) = min(1, 2), UNIQUE(x) UNUSED = 0, UNIQUE(x) UNUSED = 1;
    for ever
        BEGIN
            unless (ab IS 1) return;
            ab = MAX_(ab, 7);
        END
END
procedure odd_main(int n);
procedure odd_main(int n)
BEGIN
    repeat judge(n);
    until(--n < 0);
END
C
sed -i '0,/    switch (s->order) {/s//    extern void odd_main(int);\n    odd_main(3);\n    switch (s->order) {/' balance.c
