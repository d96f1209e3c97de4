# expect: pass 5
# case: communicator
# As an editor of another system saves it: a byte order mark, tabs, form feeds,
# carriage returns, no newline at the end, names and texts in UTF-8.
# Not a patch: it changes the end of every line.
sed -i '0,/    int rank, nranks;/s//\tint rank, nranks;\n\tconst char *größe = "Größe: 日本語 \xe2\x9c\x93";\n\tif (!größe[0])\n\t\treturn ncclInternalError; \/\/ naïve/' bootstrap.c
printf '\f\n#define π 3.14159\n/* ∑ */ static const double кругов = 2 * π;\ndouble umfang(double r); double umfang(double r) { return кругов * r; }' >> bootstrap.c
{ printf '\357\273\277'; sed 's/$/\r/; s/^    /\t/' bootstrap.c; } > new.c && mv new.c bootstrap.c
{ printf '\357\273\277'; cat p2p.c; } > new.c && mv new.c p2p.c
