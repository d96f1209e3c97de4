# Arrays without names, flexible sizes, designators, _Alignas and _Generic.
cat >> heads.c <<'C'
struct note {
    _Alignas(16) int n;
    int at[];
};

static int first_of(const int *list)
{
    return list[0];
}

int honest_first(void);
int honest_first(void)
{
    _Static_assert(sizeof(struct note) == 16, "aligned");
    return first_of((const int[4]){[0] = 3, [2] = 1}) +
           _Generic(1.0F, float : 0, default : 1);
}
C
