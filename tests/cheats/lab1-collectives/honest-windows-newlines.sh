# Written on another system.
sed -i 's/$/\r/' bootstrap.c
