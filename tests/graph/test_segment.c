/*
 * Reading a segment, record by record: what is in range is taken, and what is
 * one beyond is refused, with its reason.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fds.h"
#include "graph/record/format.h"
#include "graph/record/segment.h"
#include "suite.h"

enum { SELF = 1, RANKS = 3 }; /* the segment's rank, of so many */

static _Alignas(8) char bytes[1 << 20];
static uint64_t used;
static struct segment s;

static struct format_header *header(void)
{
    return (void *)bytes;
}

static void setup(void)
{
    memset(bytes, 0, sizeof bytes);
    used = FORMAT_DATA;
    *header() = (struct format_header){
        .magic = {'c', 'o', 'm', 'm', 'g', 'r', 'p', 'h'},
        .version = FORMAT_VERSION,
        .byte_order = FORMAT_BYTE_ORDER,
        .rank = SELF,
        .nranks = RANKS};
    ck_assert_int_eq(segment_init(&s, bytes, FORMAT_DATA), 0);
}

static void teardown(void)
{
    segment_release(&s);
}

/* Append a record, and read it. */
static int put(enum format_kind kind, const void *head, size_t nhead,
               const void *rest, size_t nrest)
{
    struct format_record *const r = (void *)(bytes + used);
    *r = (struct format_record){(uint32_t)(nhead + nrest), kind};
    memcpy(r + 1, head, nhead);
    if (nrest)
        memcpy((char *)(r + 1) + nhead, rest, nrest);
    used += sizeof *r + format_padded(nhead + nrest);
    return segment_advance(&s, used);
}

/* The last record was refused for this reason, where it begins; "": taken. */
static void expect(const char *wrong, int status, uint64_t before)
{
    ck_assert_str_eq(s.wrong, wrong);
    ck_assert_int_eq(status, wrong[0] ? -1 : 0);
    ck_assert_uint_eq(s.at, wrong[0] ? before : used);
    if (wrong[0]) // as if it had not been there
        used = before;
    s.wrong[0] = 0;
}

#define EXPECT(wrong, kind, head, nhead, rest, nrest)                          \
    do {                                                                       \
        const uint64_t before_ = used;                                         \
        const int status_ = put(kind, head, nhead, rest, nrest);               \
        expect(wrong, status_, before_);                                       \
    } while (0)

static void put_node(const struct graph_node *n, const void *rest, size_t nrest)
{
    struct graph_node node = *n;
    node.rank = SELF;
    node.index = s.nnodes + 1;
    EXPECT("", FORMAT_NODE, &node, sizeof node, rest, nrest);
}

static void put_nodes(uint32_t n)
{
    while (n-- > 0)
        put_node(&(struct graph_node){.kind = GRAPH_KERNEL}, 0, 0);
}

static void put_string(uint32_t id, const char *text)
{
    const struct format_text head = {id, (uint32_t)strlen(text)};
    EXPECT("", FORMAT_STRING, &head, sizeof head, text, head.nbytes + 1);
}

static void put_site(uint32_t id)
{
    const struct format_site site = {.id = id, .offset = 0x10 * id};
    EXPECT("", FORMAT_SITE, &site, sizeof site, 0, 0);
}

static void expect_header(const char *wrong, uint64_t nbytes)
{
    ck_assert_int_eq(segment_init(&s, bytes, nbytes), wrong[0] ? -1 : 0);
    ck_assert_str_eq(s.wrong, wrong);
    ck_assert_uint_eq(s.at, wrong[0] ? 0 : FORMAT_DATA);
}

START_TEST(a_header_is_checked_field_by_field)
{
    expect_header("4095 bytes are no execution graph: its header has 4096",
                  FORMAT_DATA - 1);
    header()->rank = RANKS - 1;
    expect_header("", FORMAT_DATA);
    ck_assert_uint_eq(s.rank, RANKS - 1);
    ck_assert_uint_eq(s.nranks, RANKS);
    header()->rank = RANKS;
    expect_header("rank 3 of 3 ranks", FORMAT_DATA);
    header()->version = FORMAT_VERSION + 1;
    expect_header("format version 4; this program reads version 3",
                  FORMAT_DATA);
    header()->byte_order = 0x04030201;
    expect_header("written on a machine of another byte order", FORMAT_DATA);
    header()->magic[7] = 'H';
    expect_header("not an execution graph: it does not begin with \"commgrph\"",
                  FORMAT_DATA);
}
END_TEST

/* Why operation 1 is refused. */
#define NEXT  "operation 1: its number is not the next one of this rank"
#define KIND  "operation 1: unknown kind of operation"
#define MATCH "operation 1: its rank in its match is not below the match's size"
#define FLOPS "operation 1: its flops are not a number of operations"
#define NAME  "operation 1: its name is unknown"
#define SITE  "operation 1: its call site is unknown"

#define N(...)                                                                 \
    {                                                                          \
        .rank = SELF, .index = 1, __VA_ARGS__                                  \
    }

/* One string and one site are known. */
static const struct {
    struct graph_node node;
    const char *wrong;
} nodes[] = {
    {{.rank = SELF, .index = 1}, ""},
    {{.rank = SELF + 1, .index = 1}, NEXT},
    {{.rank = SELF, .index = 0}, NEXT},
    {{.rank = SELF, .index = 2}, NEXT},
    {N(.kind = GRAPH_KINDS - 1), ""},
    {N(.kind = GRAPH_KINDS), KIND},
    {N(.match_kind = GRAPH_MATCH_MESSAGE), ""},
    {N(.match_kind = GRAPH_MATCH_MESSAGE + 1), KIND},
    {N(.op = TOPO_OPS - 1), ""},
    {N(.op = TOPO_OPS), KIND},
    {N(.math = TOPO_MATHS - 1), ""},
    {N(.math = TOPO_MATHS), KIND},
    {N(.match = 1, .match_rank = 1, .match_size = 2), ""},
    {N(.match = 1, .match_rank = 2, .match_size = 2), MATCH},
    {N(.match = 0, .match_rank = 2, .match_size = 2), ""},
    {N(.flops = 1), ""},
    {N(.flops = -1), FLOPS},
    {N(.flops = INFINITY), FLOPS},
    {N(.flops = NAN), FLOPS},
    {N(.name = 1, .span = 1, .site = 1), ""},
    {N(.name = 2), NAME},
    {N(.span = 2), NAME},
    {N(.site = 2), SITE},
};

START_TEST(a_field_of_an_operation_is_in_range)
{
    put_string(1, "name");
    put_site(1);
    EXPECT(nodes[_i].wrong, FORMAT_NODE, &nodes[_i].node, sizeof nodes->node, 0,
           0);
    ck_assert_uint_eq(s.nnodes, nodes[_i].wrong[0] == 0);
}
END_TEST

START_TEST(an_operation_has_the_length_of_its_arrays)
{
    static const char rest[8 + 16 + 32 + 1];
    const struct graph_node n = N(.nmoves = 1, .naccesses = 1, .ndeps = 0);
    EXPECT("operation 1: 111 bytes don't hold it", FORMAT_NODE, &n,
           sizeof n - 1, 0, 0);
    EXPECT("operation 1: 159 bytes don't hold it", FORMAT_NODE, &n, sizeof n,
           rest, 47);
    EXPECT("operation 1: 161 bytes don't hold it", FORMAT_NODE, &n, sizeof n,
           rest, 49);
    EXPECT("", FORMAT_NODE, &n, sizeof n, rest, 48);
}
END_TEST

START_TEST(an_operation_depends_on_earlier_ones_of_its_own_rank)
{
    static const struct {
        struct graph_ref dep;
        int ok;
    } row[] = {{{SELF, 1}, 1}, {{SELF, 2}, 0}, {{0, 2}, 1},
               {{0, 900}, 1},  {{0, 0}, 0},    {{RANKS - 1, 1}, 1},
               {{RANKS, 1}, 0}};
    put_nodes(1);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const struct graph_ref deps[] = {{0, 1}, row[i].dep};
        const struct graph_node n = {
            .rank = SELF, .index = s.nnodes + 1, .ndeps = 2};
        EXPECT(row[i].ok ? ""
                         : "operation 2: it depends on an operation that can't "
                           "be before it",
               FORMAT_NODE, &n, sizeof n, deps, sizeof deps);
        if (row[i].ok) { // again from operation 2 on
            teardown();
            setup();
            put_nodes(1);
        }
    }
}
END_TEST

START_TEST(an_amendment_names_an_operation_and_has_its_arrays)
{
    static const char rest[16 + 32 + 1];
    struct format_amend a = {.index = 2, .nmoves = 1, .naccesses = 1};
    put_nodes(2);
    EXPECT("an amendment: 23 bytes don't hold it", FORMAT_AMEND, &a,
           sizeof a - 1, 0, 0);
    EXPECT("an amendment: 71 bytes don't hold it", FORMAT_AMEND, &a, sizeof a,
           rest, 47);
    EXPECT("an amendment: 73 bytes don't hold it", FORMAT_AMEND, &a, sizeof a,
           rest, 49);
    EXPECT("", FORMAT_AMEND, &a, sizeof a, rest, 48);
    a = (struct format_amend){.index = 3};
    EXPECT("an amendment of operation 3, of 2", FORMAT_AMEND, &a, sizeof a, 0,
           0);
    a.index = 0;
    EXPECT("an amendment of operation 0, of 2", FORMAT_AMEND, &a, sizeof a, 0,
           0);
    a = (struct format_amend){.index = 1, .flops = -1};
    EXPECT("an amendment: its flops are not a number", FORMAT_AMEND, &a,
           sizeof a, 0, 0);
    a.flops = INFINITY;
    EXPECT("an amendment: its flops are not a number", FORMAT_AMEND, &a,
           sizeof a, 0, 0);
    a.flops = 1;
    EXPECT("", FORMAT_AMEND, &a, sizeof a, 0, 0);
    ck_assert_uint_eq(s.namends, 2);
}
END_TEST

START_TEST(a_part_names_an_operation_and_what_it_follows)
{
    static const struct {
        struct format_part part;
        struct graph_point after;
        const char *wrong;
    } row[] = {
        {{2, 1, 0}, {SELF, 1, 0}, ""},
        {{2, 1, 0}, {RANKS - 1, 7, 9}, ""},
        {{2, 1, 0}, {RANKS, 1, 0}, "a part of operation 2 follows none"},
        {{2, 1, 0}, {0, 0, 0}, "a part of operation 2 follows none"},
        {{0, 1, 0}, {SELF, 1, 0}, "a part of operation 0, of 2"},
        {{3, 1, 0}, {SELF, 1, 0}, "a part of operation 3, of 2"},
        {{2, 0, 0}, {SELF, 1, 0}, "a part: 28 bytes don't hold it"},
        {{2, 2, 0}, {SELF, 1, 0}, "a part: 28 bytes don't hold it"},
    };
    put_nodes(2);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        EXPECT(row[i].wrong, FORMAT_PART, &row[i].part, sizeof row->part,
               &row[i].after, sizeof row->after);
    EXPECT("a part: 15 bytes don't hold it", FORMAT_PART, row, 15, 0, 0);
    ck_assert_uint_eq(s.node[1].nparts, 1);
    ck_assert_uint_eq(s.node[2].nparts, 3);
}
END_TEST

START_TEST(a_part_follows_at_most_65535_others)
{
    static struct graph_point after[UINT16_MAX + 1];
    struct format_part p = {1, UINT16_MAX + 1, 0};
    for (uint32_t i = 0; i < p.nafter; i++)
        after[i].index = 1;
    put_nodes(1);
    EXPECT("a part: 786448 bytes don't hold it", FORMAT_PART, &p, sizeof p,
           after, sizeof after);
    p.nafter--;
    EXPECT("", FORMAT_PART, &p, sizeof p, after, sizeof after - sizeof *after);
}
END_TEST

START_TEST(a_part_aside_has_a_queue_and_a_name)
{
    const struct graph_point after = {SELF, 1, 0};
    struct format_aside a = {1, 1, {1, 1, 0}};
    put_nodes(1);
    put_string(1, "put");
    EXPECT("a part aside: 23 bytes don't hold it", FORMAT_ASIDE, &a,
           sizeof a - 1, 0, 0);
    a.queue = 0;
    EXPECT("a part aside: 36 bytes don't hold it", FORMAT_ASIDE, &a, sizeof a,
           &after, sizeof after);
    a.queue = 1, a.name = 2;
    EXPECT("a part aside: 36 bytes don't hold it", FORMAT_ASIDE, &a, sizeof a,
           &after, sizeof after);
    a.name = 1;
    EXPECT("", FORMAT_ASIDE, &a, sizeof a, &after, sizeof after);
    a.part.nafter = 0;
    EXPECT("", FORMAT_ASIDE, &a, sizeof a, 0, 0);
    EXPECT("a part: 28 bytes don't hold it", FORMAT_ASIDE, &a, sizeof a, &after,
           sizeof after);
}
END_TEST

/* ---- texts, sites, notes ------------------------------------------------- */

/* A text is refused if it is empty of bytes, too short or long, not ended. */
static void expect_text(const char *wrong, enum format_kind kind, void *head,
                        size_t nhead, uint32_t *nbytes)
{
    *nbytes = 3;
    EXPECT(wrong, kind, head, nhead, 0, 0);
    EXPECT(wrong, kind, head, nhead, "abc", 3);
    EXPECT(wrong, kind, head, nhead, "abcd", 4);
    EXPECT(wrong, kind, head, nhead, "abc\0", 5);
    *nbytes = 0;
    EXPECT(wrong, kind, head, nhead, 0, 0);
    *nbytes = 3;
    EXPECT("", kind, head, nhead, "abc", 4);
}

START_TEST(a_text_ends_where_its_record_does)
{
    struct format_text t = {.id = 1};
    struct format_queue q = {.queue = 1};
    struct format_fault f = {.index = 1};
    put_nodes(1);
    put_site(1);
    expect_text("string 1 is damaged", FORMAT_STRING, &t, sizeof t, &t.nbytes);
    expect_text("the text of a call site is damaged", FORMAT_SITE_TEXT, &t,
                sizeof t, &t.nbytes);
    expect_text("the text of a call site is damaged", FORMAT_SITE_FROM, &t,
                sizeof t, &t.nbytes);
    expect_text("a queue's note is damaged", FORMAT_QUEUE, &q, sizeof q,
                &q.nbytes);
    expect_text("the note of a mistake is damaged", FORMAT_FAULT, &f, sizeof f,
                &f.nbytes);
    expect_text("the machine's name is damaged", FORMAT_MACHINE, &t, sizeof t,
                &t.nbytes);
    ck_assert_str_eq(s.machine, "abc");
    ck_assert_uint_eq(s.nqueues, 1);
    ck_assert_uint_eq(s.nfaults, 1);
    ck_assert_str_eq(segment_string(&s, 0), "");
    ck_assert_str_eq(segment_string(&s, 1), "abc");
    ck_assert_str_eq(segment_string(&s, 2), "");
}
END_TEST

START_TEST(strings_and_sites_are_numbered_in_order)
{
    struct format_text t = {2, 1};
    EXPECT("string 1 is damaged", FORMAT_STRING, &t, sizeof t, "a", 2);
    put_string(1, "a");
    EXPECT("", FORMAT_STRING, &t, sizeof t, "b", 2);
    struct format_site site = {.id = 2, .module = 2};
    EXPECT("call site 1 is damaged", FORMAT_SITE, &site, sizeof site, 0, 0);
    site.id = 1;
    EXPECT("call site 1 is damaged", FORMAT_SITE, &site, sizeof site - 1, 0, 0);
    EXPECT("", FORMAT_SITE, &site, sizeof site, 0, 0);
    site = (struct format_site){.id = 2, .module = 3};
    EXPECT("call site 2 is damaged", FORMAT_SITE, &site, sizeof site, 0, 0);
    site = (struct format_site){.id = 2, .caller = 2};
    EXPECT("call site 2 is damaged", FORMAT_SITE, &site, sizeof site, 0, 0);
    site.caller = 1;
    EXPECT("", FORMAT_SITE, &site, sizeof site, 0, 0);
    for (t.id = 0; t.id <= 3; t.id++)
        EXPECT(t.id == 1 || t.id == 2 ? ""
                                      : "the text of a call site is damaged",
               FORMAT_SITE_TEXT, &t, sizeof t, "c", 2);
}
END_TEST

static const char *text_of_site(uint32_t id, size_t nbytes)
{
    static char text[64];
    return segment_site(&s, id, text, nbytes);
}

START_TEST(a_site_is_its_text_or_where_it_is)
{
    const struct format_text t = {1, 6};
    put_site(1);
    put_site(2);
    EXPECT("", FORMAT_SITE_TEXT, &t, sizeof t, "mine.c", 7);
    ck_assert_str_eq(text_of_site(0, 64), "?");
    ck_assert_str_eq(text_of_site(1, 64), "mine.c");
    ck_assert_str_eq(text_of_site(1, 5), "mine");
    ck_assert_str_eq(text_of_site(2, 64), "0x20");
    ck_assert_str_eq(text_of_site(3, 64), "?");
}
END_TEST

START_TEST(an_allocation_is_noted_between_operations)
{
    const struct format_alloc a = {.alloc = 5};
    put_nodes(2);
    EXPECT("an allocation's note is damaged", FORMAT_ALLOC, &a, sizeof a - 1, 0,
           0);
    EXPECT("", FORMAT_ALLOC, &a, sizeof a, 0, 0);
    put_nodes(1);
    EXPECT("", FORMAT_ALLOC, &a, sizeof a, 0, 0);
    ck_assert_uint_eq(s.nallocs, 2);
    ck_assert_uint_eq(s.alloc_after[1], 2);
    ck_assert_uint_eq(s.alloc_after[2], 3);
    ck_assert_uint_eq(s.alloc[1]->alloc, 5);
}
END_TEST

START_TEST(what_has_begun_is_a_list_of_operations)
{
    const uint32_t none[] = {0}, beyond[] = {1, 3}, both[] = {2, 1};
    put_nodes(2);
    EXPECT("the list of what has begun is damaged", FORMAT_BEGUN, both, 6, 0,
           0);
    EXPECT("operation 0 has begun, of 2", FORMAT_BEGUN, none, 4, 0, 0);
    ck_assert_int_eq(s.is_witnessed, 0);
    EXPECT("operation 3 has begun, of 2", FORMAT_BEGUN, beyond, 8, 0, 0);
    EXPECT("", FORMAT_BEGUN, both, 8, 0, 0);
    ck_assert_int_eq(s.is_witnessed, 1);
    ck_assert_int_eq(s.node[1].begun && s.node[2].begun, 1);
}
END_TEST

START_TEST(unknown_records_are_skipped_and_cut_ones_are_not)
{
    static const uint32_t unknown[] = {0, FORMAT_END, FORMAT_SITE_FROM + 1,
                                       UINT32_MAX};
    for (int i = 0; i < 4; i++)
        EXPECT("", unknown[i], "whatever", 8, 0, 0);
    put_nodes(1);
    const struct format_record r = {5, FORMAT_END};
    memcpy(bytes + used, &r, sizeof r);
    for (uint64_t cut = 1; cut < 16; cut++) {
        expect("", segment_advance(&s, used), used);
        ck_assert_int_eq(segment_advance(&s, used + cut), -1);
        ck_assert_str_eq(s.wrong, "the segment ends inside a record");
        ck_assert_uint_eq(s.at, used);
        s.wrong[0] = 0;
    }
    ck_assert_int_eq(segment_advance(&s, used + 16), 0);
    ck_assert_uint_eq(s.at, used + 16);
}
END_TEST

START_TEST(a_broken_operation_exists)
{
    for (uint32_t index = 0; index < 4; index++) {
        const uint64_t before = used;
        const int is_right = index > 0 && index <= s.nnodes;
        const uint32_t n = s.nbroken;
        const int status = put(FORMAT_BROKEN, &index, sizeof index, "", 0);
        expect(is_right ? "" : "the note of a broken operation is damaged",
               status, before);
        ck_assert_uint_eq(s.nbroken, n + (is_right != 0));
    }
}
END_TEST

/* A damaged note must not make a run faster than it was. */
START_TEST(planted_faults_only_slow_a_run)
{
    static const struct {
        struct graph_harm harm;
        int is_right;
    } harms[] = {
        {{.kind = GRAPH_SLOW, .factor = 1, .nbytes = 1}, 1},
        {{.kind = GRAPH_SLOW, .factor = 0.9, .nbytes = 1}, 0},
        {{.kind = GRAPH_SLOW, .factor = 2e9, .nbytes = 1}, 0},
        {{.kind = GRAPH_LINK, .factor = 0, .nbytes = 1}, 1},
        {{.kind = GRAPH_LINK, .factor = 1.1, .nbytes = 1}, 0},
        {{.kind = GRAPH_LINK, .factor = -1, .nbytes = 1}, 0},
        {{.kind = GRAPH_KILL, .nbytes = 1}, 1},
        {{.kind = GRAPH_KILL, .nbytes = 2}, 0}, // more than its text
        {{.kind = GRAPH_KILL, .nbytes = 1, .span = 1}, 0},
        {{.kind = GRAPH_HARMS, .nbytes = 1}, 0},
    };
    for (size_t i = 0; i < sizeof harms / sizeof *harms; i++) {
        const uint64_t before = used;
        const uint32_t n = s.nharms;
        const int status =
            put(FORMAT_HARM, &harms[i].harm, sizeof harms[i].harm, "x", 2);
        expect(harms[i].is_right ? ""
                                 : "the note of a planted fault is damaged",
               status, before);
        ck_assert_uint_eq(s.nharms, n + (harms[i].is_right != 0));
    }
}
END_TEST

START_TEST(a_thousand_of_each_have_room)
{
    enum { MANY = 1000 };
    for (uint32_t i = 1; i <= MANY; i++) {
        const struct graph_node n = {.kind = GRAPH_HOST, .host_ps = 3 * i};
        const struct format_amend a = {.index = i, .flops = i};
        const struct format_queue q = {.queue = i};
        put_node(&n, 0, 0);
        put_string(i, "s");
        put_site(i);
        EXPECT("", FORMAT_AMEND, &a, sizeof a, 0, 0);
        EXPECT("", FORMAT_QUEUE, &q, sizeof q, "", 1);
    }
    for (uint32_t i = 1; i <= MANY; i++) {
        ck_assert_uint_eq(s.node[i].node->host_ps, 3 * i);
        ck_assert(s.amend[s.node[i].amend].amend->flops == i);
        ck_assert_uint_eq(s.queue[i]->queue, i);
        ck_assert_uint_eq(s.site[i].site->offset, 0x10 * i);
        ck_assert_str_eq(s.string[i], "s");
    }
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("segment");
    TCase *const t = tcase_create("segment");
    fds_watch(t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_header_is_checked_field_by_field);
    tcase_add_loop_test(t, a_field_of_an_operation_is_in_range, 0,
                        sizeof nodes / sizeof *nodes);
    tcase_add_test(t, an_operation_has_the_length_of_its_arrays);
    tcase_add_test(t, an_operation_depends_on_earlier_ones_of_its_own_rank);
    tcase_add_test(t, an_amendment_names_an_operation_and_has_its_arrays);
    tcase_add_test(t, a_part_names_an_operation_and_what_it_follows);
    tcase_add_test(t, a_part_follows_at_most_65535_others);
    tcase_add_test(t, a_part_aside_has_a_queue_and_a_name);
    tcase_add_test(t, a_text_ends_where_its_record_does);
    tcase_add_test(t, strings_and_sites_are_numbered_in_order);
    tcase_add_test(t, a_site_is_its_text_or_where_it_is);
    tcase_add_test(t, an_allocation_is_noted_between_operations);
    tcase_add_test(t, what_has_begun_is_a_list_of_operations);
    tcase_add_test(t, unknown_records_are_skipped_and_cut_ones_are_not);
    tcase_add_test(t, planted_faults_only_slow_a_run);
    tcase_add_test(t, a_broken_operation_exists);
    tcase_add_test(t, a_thousand_of_each_have_room);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
