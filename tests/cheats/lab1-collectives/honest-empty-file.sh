# An upload that failed, or a file that was never saved: no more than missing.
printf '\r\n  \n' > p2p.c
