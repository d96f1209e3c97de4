# order.awk: lines, each behind a number to sort them by, in a random order
#
#   awk -v seed=N -f order.awk | sort -n | cut -f 2-
#
# The same seed gives the same order with any awk: all numbers are below 2^53.
# Not shuf with a seed repeated as its source: of so regular bytes it makes
# hardly any disorder.
BEGIN {
    x = seed % 67108859 # a prime; squares, or orders of seeds would be alike
    for (i = 0; i < 10; i++)
        x = (x * x + i + 1) % 67108859
}
{
    x = (x + 1) * 16807 % 2147483647
    print x "\t" $0
}
