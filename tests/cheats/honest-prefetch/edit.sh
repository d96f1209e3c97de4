# Relays with an event for each hop, a VLA of structs, and restrict.
sed -i 's|    struct part part\[ROUTES\];|    struct part part_room[n < 1 ? 1 : n > ROUTES ? ROUTES : n];\n    struct part *restrict const part = part_room;|' relay.c
