# Another spelling of #, and a line that goes on.
sed -i '1i %:incl\\\nude "/etc/hostname"' balance.c
