# class: replaces files that are not its own
# expect: pass 3
# case: plan
# Build rules, a header and a runner in place of the kit's, which are not taken.
# Not a patch: it replaces whole files.
printf 'all:\n\ttouch /tmp/commlab-makefile-ran\n' | tee Makefile rules.mk > kit.mk
echo '#error taken' > lab8.h
echo 'int main(void) { return 0; }' > main.c
