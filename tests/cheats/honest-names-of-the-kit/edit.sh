# Helpers that are called like functions of the kit, and like its variables.
cat >> bootstrap.c <<'C'
int run_ring(int n); int run_ring(int n) { return n; }
int data_chunk(int n); int data_chunk(int n) { return n; }
int plan_steps(int n); int plan_steps(int n) { return n; }
int table_lookup(int n); int table_lookup(int n) { return n; }
int points_to(int n); int points_to(int n) { return n; }
int judge_output(int n); int judge_output(int n) { return n; }
int graph_add(int n); int graph_add(int n) { return n; }
int topo_load(int n); int topo_load(int n) { return n; }
int evidence_put(int n); int evidence_put(int n) { return n; }
struct meter { int n; } meter, lab, job;
double time_us, now, seed;
void swap_blocks(void); void swap_blocks(void) { meter.n = lab.n = job.n = 1; now = seed = time_us; }
C
sed -i '0,/    int rank, nranks;/s//    extern int run_ring(int), judge_output(int), evidence_put(int);\n    if (run_ring(1) + judge_output(2) + evidence_put(3) != 6)\n        return ncclInternalError;\n    int rank, nranks;/' bootstrap.c
