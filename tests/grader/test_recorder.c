/*
 * The recorder: what it takes, and what it refuses. The test is the rank.
 */
#define _GNU_SOURCE
#include <check.h>
#include <fcntl.h>    /* open */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* free */
#include <string.h>   /* strcmp */
#include <sys/mman.h> /* mmap */
#include <sys/stat.h> /* mkdir */
#include <sys/wait.h> /* waitpid */
#include <unistd.h>   /* access */

#include "base/recorder.h"
#include "child.h"
#include "grader/recorder/recorder.h"
#include "graph/record/format.h"
#include "graph/record/record.h"
#include "graph/replay/load.h"
#include "judge/chain.h"
#include "judge/evidence.h"
#include "suite.h"

enum { NCASES = 2, NAME = 4096 + 16 };
static const uint64_t NONCE = 0x123456789abcdef;
static const int numbers[NCASES] = {5, 3};
static char dir[CHILD_FOLDER], seen[NAME], kept[NAME];
static struct recorder *recorder;
static struct recorder_job job;
static uint64_t key; /* of the places that are spoiled */

static char *text_of(const void *arg, int rank, int i)
{
    char *text = NULL;
    (void)arg;
    ck_assert_int_ge(asprintf(&text, "rank %d case %d", rank, i), 0);
    return text;
}

/* What the last draw was made of. */
static struct {
    int rank, i, iteration;
    uint64_t digest;
} drawn;

/* Bytes of the rank's number; arg[0] of -1 is refused. */
static int draw(const void *arg, int rank, int i, int iteration,
                uint64_t digest, const struct draw_ask *d, void *out,
                size_t nbytes)
{
    (void)arg;
    drawn.rank = rank;
    drawn.i = i;
    drawn.iteration = iteration;
    drawn.digest = digest;
    memset(out, 'a' + rank, nbytes);
    return d->arg[0] < 0 ? -1 : 0;
}

static void start(int nranks, int graphs)
{
    child_folder(dir, "commlab-recorder");
    snprintf(seen, sizeof seen, "%s/seen", dir);
    snprintf(kept, sizeof kept, "%s/kept", dir);
    ck_assert_int_eq(mkdir(seen, 0700) | mkdir(kept, 0700), 0);
    job = (struct recorder_job){.seen = seen,
                                .kept = kept,
                                .nranks = nranks,
                                .ncases = NCASES,
                                .case_no = numbers,
                                .graphs = graphs,
                                .nonce = NONCE,
                                .where = {key, 1},
                                .text = text_of,
                                .draw = draw};
    recorder = recorder_start(&job);
    ck_assert(recorder != NULL);
}

/* Ends the recording; what was forged has to hold this text, "": nothing. */
static void stop(const char *forged)
{
    struct recorder_end end;
    recorder_stop(recorder, &end);
    ck_assert_str_eq(end.failed, "");
    ck_assert_msg(*forged ? strstr(end.forged, forged) != NULL : !*end.forged,
                  "\"%s\", should be \"%s\"", end.forged, forged);
}

static void expect_next(struct evidence_out *e, const char *text)
{
    char *const got = evidence_next(e);
    ck_assert_str_eq(got, text);
    free(got);
}

static void put(struct evidence_out *e, unsigned case_no, unsigned iteration,
                double value)
{
    evidence_put(e, EVIDENCE_METRIC, case_no, iteration, "m", &value,
                 sizeof value);
}

static struct evidence_out *join(unsigned rank)
{
    struct evidence_out *const e = evidence_join(seen, rank);
    ck_assert(e != NULL);
    return e;
}

START_TEST(evidence_arrives_and_a_case_comes_after_the_one_before)
{
    char format[NAME + 16];
    start(1, 0);
    struct evidence_out *const e = join(0);
    for (unsigned i = 0; i < NCASES; i++) {
        const unsigned no = (unsigned)numbers[i];
        char text[32];
        snprintf(text, sizeof text, "rank 0 case %u", i);
        expect_next(e, text);
        evidence_put_status(e, no, RUN_MISSING, NULL);
        put(e, no, 0, 1 + i);
        put(e, no, 1, 3 + i);
        evidence_put_status(e, no, RUN_OK, NULL);
    }
    expect_next(e, "rank 0 case 2");
    evidence_key(e, NONCE);
    ck_assert_int_eq(evidence_finish(e), 0);
    stop("");
    snprintf(format, sizeof format, "%s/evidence-%%d", kept);
    struct evidence *const got = evidence_load(format, 1, NONCE, 1 << 20);
    ck_assert(evidence_done(got, 0));
    ck_assert(evidence_metric(got, 0, 3, 0, "m") == 2);
    ck_assert(evidence_metric(got, 0, 5, 1, "m") == 3);
    evidence_free(got);
    child_remove(dir);
}
END_TEST

static void ask(struct evidence_out *e, int iteration, int of_root, char *out,
                size_t nbytes)
{
    const struct evidence_ask a = {.draw = {.of_root = of_root},
                                   .nbytes = nbytes};
    evidence_draw(e, 5, iteration, &a, -1, out);
}

/* Two outputs of an iteration; returns their digest. */
static uint64_t output(struct evidence_out *e, unsigned iteration, size_t n)
{
    char data[64];
    memset(data, (int)('A' + iteration), sizeof data);
    evidence_put(e, EVIDENCE_OUTPUT, 5, iteration, "one", data, n);
    evidence_put(e, EVIDENCE_OUTPUT, 5, iteration, "two", data, 1);
    return chain_digest(chain_digest(CHAIN_NOTHING, data, n), data, 1);
}

START_TEST(values_follow_from_the_outputs_of_the_iteration_before)
{
    char got[8] = "";
    start(1, 0);
    struct evidence_out *const e = join(0);
    expect_next(e, "rank 0 case 0");
    evidence_put_status(e, 5, RUN_MISSING, NULL);
    ask(e, -1, 0, got, 3); // warm-up
    ck_assert_str_eq(got, "aaa");
    ck_assert(drawn.iteration == -1 && drawn.digest == CHAIN_NOTHING);
    ask(e, 0, 0, got, 3);
    ck_assert(drawn.iteration == 0 && drawn.digest == CHAIN_NOTHING);
    for (unsigned i = 0; i < 8; i++) { // words whole, and cut anywhere
        const uint64_t digest = output(e, i, 8 + i);
        ask(e, (int)i + 1, 0, got, 1);
        ck_assert(drawn.i == 0 && drawn.iteration == (int)i + 1);
        ck_assert_uint_eq(drawn.digest, digest);
        ask(e, (int)i + 1, 0, got, 1); // as often as it likes
        ck_assert_uint_eq(drawn.digest, digest);
    }
    ask(e, 10, 0, got, 1); // one that showed nothing is before it
    ck_assert_uint_eq(drawn.digest, CHAIN_NOTHING);
    stop("");
    child_remove(dir);
}
END_TEST

START_TEST(values_of_rank_0_wait_for_its_outputs)
{
    char got[2] = "";
    start(2, 0);
    struct evidence_out *const e = join(0), *const other = join(1);
    evidence_put(e, EVIDENCE_NEXT, 0, 0, "next", NULL, 0);
    expect_next(other, "rank 1 case 0");
    evidence_put_status(other, 5, RUN_MISSING, NULL);
    const uint64_t digest = output(e, 0, 40);
    ask(other, 1, 1, got, 1);
    ck_assert_str_eq(got, "a");
    ck_assert(drawn.rank == 0 && drawn.iteration == 1);
    ck_assert_uint_eq(drawn.digest, digest);
    ask(other, 1, 0, got, 1);
    ck_assert_str_eq(got, "b");
    ck_assert(drawn.rank == 1 && drawn.digest == CHAIN_NOTHING);
    stop("");
    child_remove(dir);
}
END_TEST

START_TEST(values_go_to_memory_without_passing_the_rank)
{
    char got[16] = "";
    const int fd = memfd_create("heap", MFD_CLOEXEC);
    ck_assert(fd >= 0 && ftruncate(fd, 1 << 20) == 0);
    ck_assert_int_eq(pwrite(fd, got, 1, 0), 1); // its first page is there
    start(1, 0);
    struct evidence_out *const e = join(0);
    expect_next(e, "rank 0 case 0");
    evidence_put_status(e, 5, RUN_MISSING, NULL);
    const struct evidence_ask a = {.nbytes = 5, .offset = 93, .to_file = 1};
    const struct evidence_ask none = {
        .nbytes = 1 << 18, .offset = 1 << 18, .to_file = 1};
    evidence_draw(e, 5, 0, &a, fd, NULL);
    evidence_draw(e, 5, 0, &none, fd, NULL); // nothing there, so it stays
    struct stat s;
    ck_assert(fstat(fd, &s) == 0 && s.st_blocks * 512 < 1 << 18);
    ck_assert_int_eq(pread(fd, got, 8, 92), 8);
    ck_assert(memcmp(got, "\0aaaaa\0", 8) == 0);
    stop("");
    close(fd);
    child_remove(dir);
}
END_TEST

/* A file on disk, where /tmp may lie in memory: this program. */
static int disk_file(void)
{
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    return fd;
}

static const struct evidence_ask improper[] = {
    {.draw = {.arg = {-1}}, .nbytes = 1},
    {.nbytes = (uint64_t)RECORDER_DRAW_CAP + 1},
    {.nbytes = 5, .offset = 96, .to_file = 1},             // past its end
    {.nbytes = 5, .offset = UINT64_MAX - 1, .to_file = 1}, // beside it
    {.nbytes = 5, .to_file = 2},                           // 2: a file on disk
};

/* A request in a process of its own: evidence_draw() ends it. */
START_TEST(values_that_there_are_not_are_refused)
{
    const struct evidence_ask *const a = &improper[_i];
    start(1, 0);
    const int fd =
        a->to_file == 2 ? disk_file() : memfd_create("heap", MFD_CLOEXEC);
    ck_assert(a->to_file == 2 || ftruncate(fd, 100) == 0);
    const pid_t child = fork();
    if (child == 0) {
        struct evidence_out *const e = evidence_join(seen, 0);
        free(evidence_next(e));
        evidence_put_status(e, 5, RUN_MISSING, NULL);
        evidence_draw(e, 5, 0, a, fd, NULL);
        _exit(0);
    }
    int status;
    ck_assert(waitpid(child, &status, 0) == child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    stop("asked for values that there are not");
    close(fd);
    child_remove(dir);
}
END_TEST

static const struct {
    const char *says;
    unsigned case_no, iteration; /* of a second metric "m" of case 5, #1 */
} refused[] = {
    {"two outputs or metrics of one name", 5, 1},
    {"an iteration that is over", 5, 0},
    {"another case than the current one", 3, 1},
};

START_TEST(what_the_kit_does_not_send_is_refused)
{
    start(1, 0);
    struct evidence_out *const e = join(0);
    expect_next(e, "rank 0 case 0");
    put(e, 5, 1, 1);
    put(e, refused[_i].case_no, refused[_i].iteration, 2);
    evidence_finish(e);
    stop(refused[_i].says);
    child_remove(dir);
}
END_TEST

START_TEST(a_case_that_has_ended_gets_no_more_evidence)
{
    start(1, 0);
    struct evidence_out *const e = join(0);
    expect_next(e, "rank 0 case 0");
    evidence_put_status(e, 5, RUN_OK, NULL);
    put(e, 5, 1, 1);
    evidence_finish(e);
    stop("another case than the current one");
    child_remove(dir);
}
END_TEST

START_TEST(a_final_record_before_the_last_case_is_refused)
{
    start(1, 0);
    struct evidence_out *const e = join(0);
    expect_next(e, "rank 0 case 0");
    evidence_key(e, NONCE);
    evidence_finish(e);
    stop("final record before its last case");
    child_remove(dir);
}
END_TEST

/* A graph of one operation: its file is there if it was left as it was. */
static void record_graph(int edit, const char *forged)
{
    char path[NAME + 16];
    start(1, 1);
    struct graph_segment *const g = graph_open(0, 1, seen);
    ck_assert(g != NULL);
    const struct graph_node n = {.kind = GRAPH_KERNEL, .host_ps = 7};
    graph_add(g, &n, NULL, NULL, NULL);
    struct format_header *const h =
        mmap(NULL, 2 * FORMAT_DATA, PROT_READ | PROT_WRITE, MAP_SHARED,
             graph_fd(g), 0);
    ck_assert(h != MAP_FAILED);
    if (edit)
        ((struct graph_node *)((char *)h + FORMAT_DATA + 8))->host_ps = 0;
    ck_assert_int_eq(graph_save(g), edit ? -1 : 0);
    graph_close(g);
    stop(forged);
    snprintf(path, sizeof path, "%s/rank-0.graph", kept);
    ck_assert_int_eq(access(path, F_OK), edit ? -1 : 0);
    child_remove(dir);
}

START_TEST(a_graph_is_kept_as_it_was_recorded)
{
    record_graph(0, "");
}
END_TEST

START_TEST(a_graph_that_was_changed_is_noticed)
{
    record_graph(1, "changed its execution graph after it was recorded");
}
END_TEST

/* ---- device memory ------------------------------------------------------- */

enum { HEAP = 1 << 16, OUTPUT = 8192, OUTPUT_BYTES = 1000, INPUT = 4096 };
static struct {
    struct graph_segment *graph;
    int heap, connection;
} rank0;

/* A note, and the reply if it has one: 0, or -1 if the recorder hangs up. */
static int note(struct recorder_note n, int fd)
{
    return recorder_write_with(rank0.connection, &n, sizeof n, fd) != 0 ||
                   (n.kind == RECORDER_BEGIN &&
                    recorder_reply_to(rank0.connection, NULL, 0) != 0)
               ? -1
               : 0;
}

/* Allocation 1 of rank 0 is input, 2 output. */
static void make_memory(void)
{
    start(1, 1);
    rank0.graph = graph_open(0, 1, seen);
    rank0.connection = recorder_join(seen, RECORDER_MEMORY, 0, -1);
    rank0.heap = memfd_create("heap", MFD_CLOEXEC);
    ck_assert(rank0.graph && rank0.connection >= 0 && rank0.heap >= 0);
    ck_assert_int_eq(ftruncate(rank0.heap, HEAP), 0);
    ck_assert_int_eq(
        note((struct recorder_note){.kind = RECORDER_HEAP}, rank0.heap), 0);
    graph_note_placed(rank0.graph, 1, 0, OUTPUT_BYTES, 0, 0, INPUT);
    graph_note_placed(rank0.graph, 2, 0, OUTPUT_BYTES, 0, 0, OUTPUT);
}

static uint32_t copy_to(uint64_t alloc, uint64_t begin, uint64_t end)
{
    const struct graph_access a[] = {
        {.alloc = alloc, .begin = begin, .end = end, .write = GRAPH_WRITE},
        {.alloc = 1, .begin = begin, .end = end, .write = GRAPH_READ}};
    const struct graph_node n = {
        .kind = GRAPH_COPY, .queue = 1, .naccesses = 2};
    return graph_add(rank0.graph, &n, NULL, NULL, a);
}

static uint32_t copy(uint64_t begin, uint64_t end)
{
    return copy_to(2, begin, end);
}

static int begin(uint32_t index)
{
    return note((struct recorder_note){RECORDER_BEGIN, index}, -1);
}

static void leave_memory(const char *forged)
{
    close(rank0.connection);
    graph_close(rank0.graph);
    stop(forged);
    close(rank0.heap);
}

/* Bytes of the heap that are not 0, in [begin, end). */
static int spoiled(size_t begin, size_t end)
{
    static unsigned char heap[HEAP];
    int n = 0;
    ck_assert_int_eq(pread(rank0.heap, heap, sizeof heap, 0), sizeof heap);
    for (size_t i = begin; i < end; i++)
        n += heap[i] != 0;
    return n;
}

START_TEST(what_begins_is_spoiled_and_said_to_have_begun)
{
    char err[256];
    make_memory();
    copy(0, 100); // is only recorded
    const uint32_t second = copy(100, 900);
    ck_assert_int_eq(begin(second), 0);
    ck_assert_int_eq(spoiled(OUTPUT + 100, OUTPUT + 900), 256);
    ck_assert_int_eq(spoiled(0, HEAP), 256);
    ck_assert_int_eq(graph_save(rank0.graph), 0);
    ck_assert_int_eq(begin(1), 0); // it decides nothing any more
    leave_memory("");
    struct graph *const g = graph_load(kept, err, sizeof err);
    ck_assert_msg(g != NULL, "%s", err);
    ck_assert(g->is_witnessed && !g->nodes[0].begun && g->nodes[1].begun);
    graph_free(g);
    child_remove(dir);
}
END_TEST

/* A rank that hides a result from the recorder would have to know where. */
START_TEST(no_two_operations_are_spoiled_at_the_same_place)
{
    make_memory();
    for (int i = 0; i < 40; i++)
        ck_assert_int_eq(begin(copy(0, OUTPUT_BYTES)), 0);
    ck_assert_int_gt(spoiled(OUTPUT, OUTPUT + OUTPUT_BYTES), 600);
    ck_assert_int_eq(spoiled(0, OUTPUT), 0);
    leave_memory("");
    child_remove(dir);
}
END_TEST

/* Where the second of two like operations is spoiled, under this key. */
static size_t place_under(uint64_t where)
{
    size_t at = OUTPUT;
    key = where;
    make_memory();
    copy(0, OUTPUT_BYTES);
    ck_assert_int_eq(begin(copy(0, OUTPUT_BYTES)), 0);
    while (at < OUTPUT + OUTPUT_BYTES && !spoiled(at, at + 1))
        at++;
    leave_memory("");
    child_remove(dir);
    key = 0;
    return at;
}

START_TEST(the_places_are_the_same_when_it_is_graded_again)
{
    const size_t at = place_under(7);
    ck_assert_uint_eq(place_under(7), at);
    ck_assert_uint_ne(place_under(8), at);
}
END_TEST

static void place(uint64_t alloc, uint32_t device, uint64_t offset, uint64_t n)
{
    graph_note_placed(rank0.graph, alloc, 0, n, 0, device, offset);
}

/* What a rank says of its memory that the kit does not, in a process of its
 * own: it gets no reply. */
static void say(int what)
{
    struct recorder_note n = {.kind = RECORDER_HEAP};
    switch (what) {
    case 0: begin(1); break; // not recorded
    case 1: begin(copy(0, 100)), begin(1); break;
    case 2: begin(copy(0, OUTPUT_BYTES + 1)); break;
    case 3: place(2, 0, INPUT, OUTPUT_BYTES); break;       // it is elsewhere
    case 4: place(UINT64_C(1) << 32 | 1, 0, 0, 10); break; // rank 1's
    case 5: place(3, 64, 0, 10); break;
    case 6: note(n, rank0.heap); break; // a second one
    case 7: n.number = 64, note(n, rank0.heap); break;
    case 8: n.number = 1, note(n, disk_file()); break;
    case 9: place(4, 0, HEAP - 100, 101), begin(copy_to(4, 0, 100)); break;
    }
}

static const char *const said[] = {
    "began an operation that it had not recorded",
    "began an operation that it had not recorded",
    "began an operation outside of its memory",
    "said that memory is where it is not",
    "said that memory is where it is not",
    "said that memory is where it is not",
    "said that memory is where it is not",
    "said that memory is where it is not",
    "said that memory is where it is not",
    "began an operation outside of its memory"};

START_TEST(what_no_kit_says_of_memory_is_refused)
{
    make_memory();
    const pid_t child = fork();
    if (child == 0) {
        say(_i);
        _exit(0);
    }
    ck_assert(waitpid(child, NULL, 0) == child);
    leave_memory(said[_i]);
    child_remove(dir);
}
END_TEST

/* Only the recorder can read what a rank has written, and a rank continues
 * when the recorder stops reading. */
START_TEST(records_leave_by_a_pipe_that_nobody_may_open)
{
    static const char more[1 << 20];
    struct stat st;
    start(1, 1);
    const int memory = memfd_create("graph", MFD_CLOEXEC);
    const int graph = recorder_join(seen, RECORDER_GRAPH, 0, memory);
    const int records = recorder_pipe(graph);
    ck_assert(records >= 0 && fstat(records, &st) == 0);
    ck_assert(S_ISFIFO(st.st_mode));
    ck_assert_uint_eq(st.st_mode & 0777, 0);
    ck_assert_int_eq(read(records, (char[1]){0}, 1), -1);
    stop("");
    ck_assert_int_eq(recorder_append(records, more, sizeof more), -1);
    close(records);
    close(graph);
    close(memory);
    child_remove(dir);
}
END_TEST

/* The list of what has begun is the recorder's. */
START_TEST(a_rank_that_sends_the_list_itself_is_refused)
{
    static const char header[FORMAT_DATA];
    static const struct format_record list = {0, FORMAT_BEGUN};
    start(1, 1);
    const int memory = memfd_create("graph", MFD_CLOEXEC);
    const int graph = recorder_join(seen, RECORDER_GRAPH, 0, memory);
    ck_assert_int_ge(graph, 0);
    const int records = recorder_pipe(graph);
    recorder_append(records, header, sizeof header);
    recorder_append(records, &list, sizeof list);
    stop("changed its execution graph");
    close(records);
    close(graph);
    close(memory);
    child_remove(dir);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("recorder");
    TCase *const t = tcase_create("recorder");
    tcase_add_test(t, evidence_arrives_and_a_case_comes_after_the_one_before);
    tcase_add_loop_test(t, what_the_kit_does_not_send_is_refused, 0,
                        (int)(sizeof refused / sizeof *refused));
    tcase_add_test(t, a_case_that_has_ended_gets_no_more_evidence);
    tcase_add_test(t, a_final_record_before_the_last_case_is_refused);
    tcase_add_test(t, values_follow_from_the_outputs_of_the_iteration_before);
    tcase_add_test(t, values_of_rank_0_wait_for_its_outputs);
    tcase_add_test(t, values_go_to_memory_without_passing_the_rank);
    tcase_add_loop_test(t, values_that_there_are_not_are_refused, 0,
                        (int)(sizeof improper / sizeof *improper));
    tcase_add_test(t, a_graph_is_kept_as_it_was_recorded);
    tcase_add_test(t, a_graph_that_was_changed_is_noticed);
    tcase_add_test(t, records_leave_by_a_pipe_that_nobody_may_open);
    tcase_add_test(t, what_begins_is_spoiled_and_said_to_have_begun);
    tcase_add_test(t, no_two_operations_are_spoiled_at_the_same_place);
    tcase_add_test(t, the_places_are_the_same_when_it_is_graded_again);
    tcase_add_loop_test(t, what_no_kit_says_of_memory_is_refused, 0,
                        (int)(sizeof said / sizeof *said));
    tcase_add_test(t, a_rank_that_sends_the_list_itself_is_refused);
    suite_add_tcase(s, t);
    return suite_run(s);
}
