# A usage text as a raw string: refused, with what to write.
cat >> cuda.cu <<'C'
const char *usage(void);
const char *usage(void) { return R"(usage: "lab0" \n)"; }
C
