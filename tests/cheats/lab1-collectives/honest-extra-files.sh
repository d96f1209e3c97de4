# class: replaces files that are not its own
# expect: pass 100
# Files that nobody asked for are not taken, whatever they do.
# Not a patch: it replaces whole files.
printf 'all:\n\ttouch /tmp/commlab-makefile-ran\n' > Makefile
echo '#error not taken' > lab1.h
echo 'int main(void) { return 0; }' > cases.c
