# A parameter server that is none.
sed -i '/^ncclResult_t server_step(/,/^}/d' server.c
cat >> server.c <<'C'
ncclResult_t server_step(struct nn *m, const struct nn_batch *batch, struct nn_optimizer *o, const struct sync *s)
{
    return sync_step(m, batch, o, s);
}
C
