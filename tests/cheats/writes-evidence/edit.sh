# Shows evidence of its own making.
echo 'void forge(struct evidence_out *e); void forge(struct evidence_out *e) { evidence_put(e, EVIDENCE_STATUS, 0, 0, "status", "", 0); }' >> p2p.c
