# Static arrays as large as Fortran's, of which little is touched.
cat >> nccl.c <<'C'
static double table[8 << 20]; /* 64 MB */
static char text[64 << 20];
int fill(int n);
int fill(int n)
{
    static float rows[4096][4096];
    for (int i = 0; i < n; i++)
        table[i * 4096] = i, text[i * 4096] = 'x', rows[i % 4096][i % 4096] = 1;
    return (int)table[4096] + (text[0] == 'x') + (int)rows[1][1];
}
C
sed -i '0,/    LAB_TRY(ncclCommCount/s//    extern int fill(int);\n    if (fill(1000) != 3)\n        return ncclInternalError;\n    LAB_TRY(ncclCommCount/' nccl.c
