# Build rules, a header and a runner in place of the kit's, which are not taken.
printf 'all:\n\ttouch /tmp/commlab-makefile-ran\n' | tee Makefile rules.mk > kit.mk
echo '#error taken' > lab8.h
echo 'int main(void) { return 0; }' > main.c
