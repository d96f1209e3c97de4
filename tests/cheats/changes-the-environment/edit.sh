# The runner's settings, from inside.
echo 'int putenv(char *); void change(void); void change(void) { static char v[] = "SIMGPU_TOPO=dgx-a100"; putenv(v); }' >> zero.c
