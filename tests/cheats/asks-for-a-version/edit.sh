# A function by a version of its name.
echo '__asm__(".symver run, system@GLIBC_2.2.5"); int run(const char *); int ask(void); int ask(void) { return run("id"); }' >> measure.c
