/*
 * commgraph view: its page in a browser, Debian's chromium without a window.
 * Without it the tests that need one are skipped, by name.
 *
 * A driver, appended to the page, plays the person: it presses keys, clicks,
 * and leaves what it saw in <pre id="seen">.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>    /* prctl */
#include <sys/resource.h> /* getrusage */
#include <sys/wait.h>     /* waitpid */
#include <unistd.h>

#include "child.h"
#include "suite.h"
#include "synthetic.h"

enum { US = 1000000, RANKS = 2 }; /* US: ps */

static struct synthetic s;
static char dir[CHILD_FOLDER];

/* A kernel that runs `us` after the calls of its rank. */
static struct graph_ref kernel(uint32_t rank, uint32_t queue, const char *name,
                               uint64_t us)
{
    return SYNTHETIC(&s, rank, .name = name,
                     .node = {.kind = GRAPH_KERNEL,
                              .queue = queue,
                              .place = (int32_t)rank,
                              .host_ps = US,
                              .latency_ps = us * US,
                              .span = graph_string(s.rank[rank], "step <0>")},
                     .accesses = {{1, 0, rank ? 0 : 64, GRAPH_WRITE, 0}});
}

/*
 * Rank 1 comes 40 us late to an all-reduce; on rank 0 kernels in two queues
 * write the same bytes.
 */
static void setup(void)
{
    child_folder(dir, "view");
    synthetic_init(&s, RANKS);
    graph_note_alloc(s.rank[0], 1, 0, 4096, 0);
    for (uint32_t r = 0; r < RANKS; r++) {
        graph_note_machine(s.rank[r], "dgx-a100");
        kernel(r, 1, "left</script>", 10);
        kernel(r, 2, "right", 10 + 40 * r);
        SYNTHETIC(&s, r, .name = "ncclAllReduce",
                  .node = {.kind = GRAPH_COLL,
                           .op = TOPO_OP_ALLREDUCE,
                           .queue = 2,
                           .place = (int32_t)r,
                           .match = 1,
                           .match_kind = GRAPH_MATCH_ALL,
                           .match_size = RANKS,
                           .match_rank = r,
                           .bytes = 32 << 20});
    }
    graph_free(synthetic_load(&s));
}

static void teardown(void)
{
    synthetic_release(&s);
    child_remove(dir);
}

static int has_browser(void)
{
    return access("/usr/bin/chromium", X_OK) == 0;
}

/* The run in `from`, or a part of it, as DIR/run.html. */
static void write_part(const char *from, const char *options)
{
    struct child c = child_run(60, "%s/commgraph view %s %s -o %s/run.html",
                               child_build(), from, options, dir);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
}

static void write_view(const char *from)
{
    write_part(from, "");
}

/* The page after its script and the driver ran, as HTML. */
static struct child browse(const char *hash, const char *driver)
{
    char path[CHILD_FOLDER + 16];
    snprintf(path, sizeof path, "%s/run.html", dir);
    FILE *const f = fopen(path, "a");
    ck_assert_ptr_nonnull(f);
    fprintf(
        f,
        "<pre id=\"seen\"></pre><script>\n"
        "const say = (...w) => document.getElementById('seen').append("
        "w.join(' ') + '\\n');\n"
        "const key = k => document.getElementById('timeline').dispatchEvent("
        "new KeyboardEvent('keydown', {key: k}));\n"
        "const found = () => document.getElementById('found').tBodies[0]"
        ".rows.length;\n"
        "const chosenText = () => document.getElementById('details')"
        ".innerText;\n"
        "window.addEventListener('error', e => say('error', e.message));\n"
        "%s</script>\n",
        driver);
    fclose(f);
    struct child c = child_run(
        120,
        "HOME=%s timeout 100 chromium --headless --no-sandbox --disable-gpu "
        "--disable-dev-shm-usage --user-data-dir=%s/profile "
        "--window-size=1200,900 --dump-dom 'file://%s%s' 2> %s/browser.log",
        dir, dir, path, hash, dir);
    ck_assert_msg(c.status == 0, "chromium: %d", c.status);
    return c;
}

static void expect(const struct child *c, const char *words)
{
    const char *const seen = strstr(c->out, "id=\"seen\"");
    ck_assert_msg(seen && strstr(seen, words), "'%s' is not in\n%s", words,
                  seen ? seen : c->out);
}

START_TEST(the_page_opens_and_is_searched)
{
    if (!has_browser())
        return;
    write_view(s.dir);
    struct child c = browse(
        "#q=ncclall+rank1",
        "say('ready', document.documentElement.dataset.ready >= 0);"
        "say('title', document.title);"
        "say('count', document.getElementById('count').textContent);"
        "say('rows', found());"
        "say('heading', document.getElementById('found-title').textContent);"
        "document.getElementById('q').value = ''; search();"
        "say('then', document.getElementById('found-title').textContent);"
        "say('spans', [...document.getElementById('span').options].map(o => "
        "o.text).join('|'));"
        "say('hazards', document.querySelectorAll('#hazards pre').length, "
        "document.querySelectorAll('#hazards button').length);");
    expect(&c, "ready true");
    expect(&c, "on dgx-a100: 2 ranks, ");
    expect(&c, "count 1 of 6 operations");
    expect(&c, "rows 1");
    expect(&c, "heading Found");
    expect(&c, "then Longest steps of the critical path");
    expect(&c, "spans whole run|step &lt;0&gt;");
    expect(&c, "hazards 1 2"); // the race, with both sides
    child_clear(&c);
}
END_TEST

START_TEST(an_operation_says_what_it_waited_for)
{
    if (!has_browser())
        return;
    write_view(s.dir);
    // Position 2 is the all-reduce of rank 0, 5 that of rank 1.
    struct child c =
        browse("#node=2", "say(chosenText()); key('Enter'); say(chosenText());"
                          "key('Enter'); say(chosenText());");
    expect(&c, "us for its peers; the last to come was ncclAllReduce, rank 1");
    expect(&c, "32.00 MiB");
    expect(&c, "nvlink G0 up");
    expect(&c, "ncclAllReduce, rank 1");
    expect(&c, "right, rank 1"); // which the late one waited for
    expect(&c, "yes: 51.000 us of it");
    child_clear(&c);
}
END_TEST

START_TEST(keys_zoom_and_move)
{
    if (!has_browser())
        return;
    write_view(s.dir);
    struct child c = browse(
        "", "const all = shown.to - shown.from; key('+'); key('+');"
            "say('zoomed', Math.abs((shown.to - shown.from) / all - 0.25) < "
            "1e-6);"
            "const before = shown.from; key('ArrowRight');"
            "say('moved', shown.from > before); key('0');"
            "say('whole', Math.abs((shown.to - shown.from) / all - 1) < 1e-6);"
            "document.getElementById('q').value = 'right'; search();"
            "key('n'); say('first', chosen.node); key('n');"
            "say('second', chosen.node); key('n'); say('again', chosen.node);");
    static const char *const words[] = {"zoomed true", "moved true",
                                        "whole true",  "first 1",
                                        "second 4",    "again 1"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        expect(&c, words[i]);
    child_clear(&c);
}
END_TEST

START_TEST(a_click_chooses_the_operation_under_it)
{
    if (!has_browser())
        return;
    write_view(s.dir);
    struct child c = browse(
        "",
        "const c = document.getElementById('timeline'), b = "
        "c.getBoundingClientRect(), r = rowOf[2];"
        "const x = b.left + xOf(start[2] + run.took[2] / 2, c.clientWidth);"
        "const e = {clientX: x, clientY: b.top + tops[r] + 8, pointerId: 1};"
        "c.setPointerCapture = () => 0;"
        "c.dispatchEvent(new PointerEvent('pointerdown', e));"
        "c.dispatchEvent(new PointerEvent('pointerup', e));"
        "say('chosen', chosen.node);"
        "say('links', document.getElementById('links').ariaLabel);");
    expect(&c, "chosen 2");
    expect(&c, "nvlink G0 up ");
    child_clear(&c);
}
END_TEST

/* A run's set-up is before the time that its axis begins with. */
START_TEST(the_page_says_where_its_time_begins)
{
    if (!has_browser())
        return;
    synthetic_release(&s);
    synthetic_init(&s, 1);
    graph_note_machine(s.rank[0], "dgx-a100");
    SYNTHETIC(&s, 0, .name = "ncclCommInitRank",
              .node = {.kind = GRAPH_HOST, .latency_ps = 300 * US});
    kernel(0, 1, "work", 10);
    graph_free(synthetic_load(&s));
    write_view(s.dir);
    struct child c =
        browse("", "say('count', document.getElementById('count').textContent);"
                   "say('chosen', chosenText());");
    expect(&c, "chosen work, rank 0"); // the only step, as if clicked
    expect(&c, "; 0 us is the first one on a GPU, after 301.000 us of set-up");
    child_clear(&c);
}
END_TEST

START_TEST(a_name_stays_within_its_bar)
{
    if (!has_browser())
        return;
    write_view(s.dir);
    struct child c = browse(
        "",
        "const c = document.getElementById('timeline').getContext('2d');"
        "for (const name of ['cudaMemcpyAsync', 'MMMMMMMMMM', 'iiiiiiiiii'])"
        "for (let room = 18; room < 100; room++)"
        "if (widthOf(c, fitText(c, name, room)) > room) say('out', name);"
        "say('cut', fitText(c, 'cudaMemcpyAsync', 70));");
    expect(&c, "cut cuda");
    ck_assert_ptr_null(strstr(strstr(c.out, "id=\"seen\""), "out "));
    child_clear(&c);
}
END_TEST

START_TEST(links_are_coloured_by_their_use_at_a_moment)
{
    if (!has_browser())
        return;
    write_view(s.dir);
    struct child c = browse(
        "",
        "const wireOf = name => wires.find(([r]) => run.resources[r][0] === "
        "name)[1].getAttribute('class');"
        "const at = k => { const e = document.getElementById('moment');"
        "e.value = k; e.dispatchEvent(new Event('input')); };"
        "const told = () => document.getElementById('moment-text').textContent;"
        "say('begins:', told());"
        "say('boxes', document.querySelectorAll('#machine rect.gpu').length);"
        "at(0); say('early:', wireOf('nvlink G0 up'), told());"
        "setMoment(start[2] + run.took[2] * 0.9);"
        "say('late:', wireOf('nvlink G0 up'), wireOf('nvlink G7 up'), told());"
        "const row = [...document.getElementById('use').tBodies[0].rows].find("
        "r => r.cells[0].textContent === 'nvlink G0 up');"
        "say('row', [...row.cells].map(e => e.textContent).join('|'));"
        "const before = moment; key(','); say('back', moment < before);"
        "document.getElementById('use-mean').click();"
        "at(0); say('mean:', wireOf('nvlink G0 up') !== 'use0');"
        "show(whole.from, whole.from + 1e6); drawMachine();"
        "say('kept within', moment <= shown.to);"
        "say('none', document.getElementById('use').tBodies[0].rows.length);");
    expect(&c, "begins: ");
    expect(&c, "nvlink G0 up most, ");
    expect(&c, "boxes 8\n");
    expect(&c, "early: use0 0.000 us: no link in use\n");
    expect(&c, "late: use3 use0 "); // G7 is idle
    expect(&c, "us: 4 links in use, nvlink G0 up most, 61 %");
    expect(&c, "row nvlink G0 up|32.00 MiB|49 %|61 %");
    expect(&c, "back true");
    expect(&c, "mean: true");
    expect(&c, "kept within true");
    expect(&c, "none 0");
    child_clear(&c);
}
END_TEST

/* Three cases, each with two streams of its own that are used together. */
static void record_cases(void)
{
    synthetic_release(&s);
    synthetic_init(&s, RANKS);
    for (uint32_t r = 0; r < RANKS; r++) {
        graph_note_machine(s.rank[r], "dgx-a100");
        for (uint32_t i = 0; i < 3; i++) {
            char span[16];
            snprintf(span, sizeof span, "case-%u #0", i);
            for (uint32_t k = 0; k < 2; k++)
                SYNTHETIC(&s, r, .name = k ? "second" : "first",
                          .node = {.kind = GRAPH_KERNEL,
                                   .queue = 1 + 2 * i + k,
                                   .place = (int32_t)r,
                                   .host_ps = (k ? 1 : 100) * US,
                                   .latency_ps = 10 * US,
                                   .span = graph_string(s.rank[r], span)});
        }
    }
    graph_free(synthetic_load(&s));
}

/* The set-up of a run, and half a second of ncclCommInitRank, are before. */
START_TEST(the_page_opens_on_the_first_case)
{
    if (!has_browser())
        return;
    record_cases();
    write_view(s.dir);
    struct child c = browse(
        "", "const parts = named.filter(s => s.span === named[0].span);"
            "say('span', text(named[0].span));"
            "say('all of it', shown.from <= Math.min(...parts.map(s => "
            "s.begin)), shown.to >= Math.max(...parts.map(s => s.end)));"
            "say('part of the run', shown.to - shown.from < "
            "(whole.to - whole.from) / 2);"
            "say('chosen', chosen.node >= 0 && onPath.has(chosen.node) && "
            "text(run.span[chosen.node]));"
            "const shows = [...document.getElementById('found').tBodies[0]"
            ".rows].map(r => Number(r.cells[4].textContent));"
            "say('sorted', shows.length > 1, shows.every((us, k) => !k || us "
            "<= shows[k - 1]));");
    expect(&c, "span case-0 #0\n");
    expect(&c, "all of it true true\n");
    expect(&c, "part of the run true\n");
    expect(&c, "chosen case-0 #0\n");
    expect(&c, "sorted true true\n");
    child_clear(&c);
}
END_TEST

START_TEST(streams_used_one_after_another_share_a_row)
{
    if (!has_browser())
        return;
    record_cases();
    write_view(s.dir);
    struct child c = browse(
        "#span=case-1+%230",
        "say('rows:', rows.map(r => r.name).join(', '));"
        "say('in order', rows.every(r => r.list.every((p, k) => !k || "
        "!r.queue || r.list[k - 1].begin + r.list[k - 1].length <= p.begin)));"
        "say('jumped', shown.from > whole.from && shown.to < whole.to);"
        "choose(2); say(chosenText());");
    expect(&c, "rows: rank 0 host, rank 0 3 streams in turn, rank 0 3 streams "
               "in turn, rank 1 host, rank 1 3 streams in turn, rank 1 3 "
               "streams in turn\n");
    expect(&c, "in order true");
    expect(&c, "jumped true");
    expect(&c, "rank 0 G0 stream 3"); // of the chosen one, its own
    child_clear(&c);
}
END_TEST

START_TEST(a_page_of_one_span_says_nothing_of_others)
{
    record_cases();
    write_part(s.dir, "--span case-1");
    struct child c =
        child_run(10, "grep -c -e case-0 -e case-2 %s/run.html", dir);
    ck_assert_str_eq(c.out, "0\n");
    child_clear(&c);
    c = child_run(10, "grep '<title>' %s/run.html", dir);
    ck_assert_msg(strstr(c.out, "2 ranks, 11.000 us</title>") != NULL, "%s",
                  c.out); // its own, not the run's
    child_clear(&c);
    c = child_run(60, "%s/commgraph view %s --span case-7 -o %s/none.html",
                  child_build(), s.dir, dir);
    ck_assert_msg(c.status == 1 && strstr(c.err, "in a span with 'case-7'"),
                  "%d %s", c.status, c.err);
    child_clear(&c);
    if (!has_browser())
        return;
    c = browse("#node=0",
               "say('rows:', rows.map(r => r.name).join(', '));"
               "say('count', document.getElementById('count').textContent);"
               "say('from', issued(0), 'to', run.end);"
               "say('path', run.path.length / 3);"
               "say(chosenText()); choose(1); say(chosenText());");
    expect(&c, "rows: rank 0 host, rank 0 G0 stream 3, rank 0 G0 stream 4, "
               "rank 1 host, rank 1 G1 stream 3, rank 1 G1 stream 4\n");
    expect(&c, "count 4 operations of 2 ranks on dgx-a100\n");
    expect(&c, "from 100000000 to 111000000\n"); // with its first call
    expect(&c, "path 2\n"); // the two calls: the next case waits for no more
    expect(&c, "its own call: the host had not issued it before.");
    child_clear(&c);
}
END_TEST

/* Rank 0 sends 64 bytes to rank 1, which adds them to its own. */
static void record_message(void)
{
    const uint64_t to = UINT64_C(1) << 32 | 1;
    synthetic_release(&s);
    synthetic_init(&s, RANKS);
    for (uint32_t r = 0; r < RANKS; r++) {
        graph_note_machine(s.rank[r], "dgx-a100");
        SYNTHETIC(&s, r, .name = r ? "ncclRecv" : "ncclSend",
                  .node = {.kind = r ? GRAPH_RECV : GRAPH_SEND,
                           .op = TOPO_OP_SENDRECV,
                           .queue = 1,
                           .place = (int32_t)r,
                           .peer_place = (int32_t)(1 - r),
                           .match = 1,
                           .match_kind = GRAPH_MATCH_PAIR,
                           .match_size = RANKS,
                           .match_rank = r,
                           .bytes = 64,
                           .span = graph_string(s.rank[r], "sum")},
                  .accesses = {{r ? to + 1 : 1, 0, 64,
                                r ? GRAPH_WRITE : GRAPH_READ, 0}});
    }
    SYNTHETIC(&s, 1, .name = "add",
              .node = {.kind = GRAPH_KERNEL,
                       .queue = 1,
                       .place = 1,
                       .latency_ps = US,
                       .span = graph_string(s.rank[1], "sum")},
              .accesses = {{to + 1, 0, 64, GRAPH_READ, 0},
                           {to, 0, 64, GRAPH_READ, 0},
                           {to, 0, 64, GRAPH_WRITE, 0}});
    graph_free(synthetic_load(&s));
}

START_TEST(steps_say_who_holds_which_piece)
{
    if (!has_browser())
        return;
    record_message();
    write_view(s.dir);
    struct child c = browse(
        "#span=sum",
        "const cells = () => [...document.querySelectorAll('#pieces td')]"
        ".map(e => e.textContent + (e.className && '/' + e.className))"
        ".join(' | ');"
        "const press = id => document.getElementById(id).click();"
        "say('shown', !document.getElementById('steps-section').hidden);"
        "say('before:', cells()); press('step-on'); say('after:', cells());"
        "press('step-on'); say('end:', cells()); press('step-back');"
        "say('back:', cells());");
    expect(&c, "shown true");
    expect(&c, "before: 0 | 1\n");
    expect(&c, "after: 0 | 0+1/new full\n");
    expect(&c, "end: 0 | 0+1/new full\n"); // there is no further step
    expect(&c, "back: 0 | 1\n");
    child_clear(&c);
}
END_TEST

/*
 * On rank 0: 4 KiB to the end of the run, 1 MiB from the call of the kernel
 * "early" (1 us) until "free" has run, and 2 MiB from the end of "alloc" on.
 * On rank 1: memory of the host.
 */
static void record_memory(void)
{
    synthetic_release(&s);
    synthetic_init(&s, RANKS);
    for (uint32_t r = 0; r < RANKS; r++)
        graph_note_machine(s.rank[r], "dgx-a100");
    graph_note_alloc(s.rank[0], 1, 0, 4096, 0);
    kernel(0, 1, "early", 10);
    graph_note_alloc(s.rank[0], 2, 0, 1 << 20, 0);
    graph_note_alloc(s.rank[0], 3, 0, 2 << 20, 0);
    SYNTHETIC(&s, 0, .name = "free",
              .node = {.kind = GRAPH_HOST, .host_ps = 3 * US},
              .accesses = {{2, 0, 1 << 20, GRAPH_FREE, 0}});
    SYNTHETIC(&s, 0, .name = "alloc",
              .node = {.kind = GRAPH_MARK, .queue = 1, .host_ps = US},
              .accesses = {{3, 0, 2 << 20, GRAPH_ALLOC, 0}});
    graph_note_alloc(s.rank[1], UINT64_C(1) << 32 | 1, TOPO_HOST_PLACE(0), 64,
                     0);
    graph_free(synthetic_load(&s));
}

START_TEST(memory_is_drawn_over_time)
{
    if (!has_browser())
        return;
    record_memory();
    write_view(s.dir);
    struct child c = browse(
        "", "const label = () => document.getElementById('memory').ariaLabel;"
            "say('list', JSON.stringify(run.memory.map(m => m[2])));"
            "say('all:', label());"
            "show(2e6, 3e6); drawMemory(); say('early:', label());"
            "show(5e6, 6e6); drawMemory(); say('between:', label());"
            "const c = document.getElementById('memory');"
            "say('drawn', [...c.getContext('2d').getImageData(c.width - 2, 30, "
            "1, 1).data].join() !== [...c.getContext('2d').getImageData("
            "c.width - 2, 1, 1, 1).data].join());");
    expect(&c, "list [[0,4096,1000000,1048576,4000000,-1048576,"
               "11000000,2097152]]");
    expect(&c, "all: Peak of allocated memory: G0 2.00 MiB of ");
    expect(&c, "early: Peak of allocated memory: G0 1.00 MiB of ");
    expect(&c, "between: Peak of allocated memory: G0 4.00 KiB of ");
    expect(&c, "drawn true");
    child_clear(&c);
}
END_TEST

/* A training step, again and again: kernels, copies, a collective. */
static void record_long_run(uint32_t nranks, uint32_t nops)
{
    synthetic_release(&s);
    synthetic_init(&s, nranks);
    for (uint32_t r = 0; r < nranks; r++) {
        graph_note_machine(s.rank[r], "dgx-a100");
        for (uint32_t i = 0; i < nops; i++) {
            const int coll = i % 10 == 9;
            SYNTHETIC(&s, r, .name = coll ? "ncclAllReduce" : "kernel",
                      .node = {.kind = coll ? GRAPH_COLL : GRAPH_KERNEL,
                               .op = coll ? TOPO_OP_ALLREDUCE : 0,
                               .queue = coll ? 2 : 1,
                               .place = (int32_t)r,
                               .host_ps = 2 * US,
                               .latency_ps = (uint64_t)(1 + i % 7) * US,
                               .match = coll ? 1 + i : 0,
                               .match_kind = GRAPH_MATCH_ALL,
                               .match_size = coll ? nranks : 0,
                               .match_rank = r,
                               .bytes = coll ? 1 << 20 : 0,
                               .span = graph_string(s.rank[r], "training")});
        }
    }
    graph_free(synthetic_load(&s));
}

/* CPU time of the processes that this one has started, and of those that they
 * have left to it. */
static double children_sec(void)
{
    struct rusage u;
    while (waitpid(-1, NULL, 0) > 0)
        ;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* CPU time that a browser takes to open the page and to do what the driver
 * says. */
static double browse_sec(const char *driver, const char *words)
{
    write_view(s.dir);
    const double begin = children_sec();
    struct child c = browse("", driver);
    const double sec = children_sec() - begin;
    expect(&c, words);
    child_clear(&c);
    return sec;
}

/* Others that use this machine do not count. */
START_TEST(a_run_of_40000_operations_opens_quickly)
{
    if (!has_browser())
        return;
    record_long_run(8, 5000);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const double open = browse_sec(
        "say('opened', document.documentElement.dataset.ready >= 0);",
        "opened true");
    const double draw =
        browse_sec("let i = 0; for (; i < 20; i++) { pan(0.01); zoom(0.9); "
                   "draw(); drawMachine(); } say('drawn', i === 20);",
                   "drawn true") -
        open;
    printf("40000 operations: %.1f s, and %.2f s a frame\n", open, draw / 20);
    ck_assert_msg(open < 10, "%.1f s", open);
    ck_assert_msg(draw < 20 * 0.5, "%.2f s a frame", draw / 20);
}
END_TEST

/* Two ranks, two queues, 2,000 kernels that wait for each other by turns, so
 * that the critical path changes its row at each of them. */
static void record_crowd(void)
{
    synthetic_release(&s);
    synthetic_init(&s, RANKS);
    for (uint32_t r = 0; r < RANKS; r++) {
        struct graph_ref last = {0};
        graph_note_machine(s.rank[r], "dgx-a100");
        for (uint32_t i = 0; i < 2000; i++)
            last = SYNTHETIC(&s, r, .name = "kernel",
                             .node = {.kind = GRAPH_KERNEL,
                                      .queue = 1 + i % 2,
                                      .place = (int32_t)r,
                                      .latency_ps = 5 * US,
                                      .span = graph_string(s.rank[r], "all")},
                             .deps = {last});
    }
    graph_free(synthetic_load(&s));
}

/* As wide as on a phone: the path must not hide the bars that it crosses, and
 * the scale and the rows' names have to be read. */
START_TEST(a_crowded_timeline_is_readable_on_a_phone)
{
    if (!has_browser())
        return;
    record_crowd();
    write_view(s.dir);
    struct child c = browse(
        "",
        "const canvas = $('timeline'), put = CanvasRenderingContext2D.prototype"
        ".fillText; let words = [];"
        "CanvasRenderingContext2D.prototype.fillText = function (t, x, y) {"
        " words.push([t, x, y, this.measureText(t).width]);"
        " put.call(this, t, x, y); };"
        "canvas.style.width = '356px';"
        "const ticks = () => { words = []; draw(); return words.filter(w => "
        "w[2] === AXIS / 2); };"
        "const apart = list => list.every((w, i) => !i || w[1] - w[3] / 2 > "
        "list[i - 1][1] + list[i - 1][3] / 2);"
        "const t = ticks(); say('ticks', t.length > 1, apart(t));"
        "show(whole.from + 4e9, whole.from + 4.0001e9);"
        "say('zoomed', ticks().length > 0, apart(ticks()));"
        "show(whole.from, whole.to); draw();"
        "say('rows', words.filter(w => w[0] === 'G0 stream 2').length > 0);"
        "const path = () => { let n = 0; readColours(); draw();"
        " const c = canvas.getContext('2d'), p = document.createElement("
        "'canvas').getContext('2d'); p.fillStyle = colour.path; p.fillRect(0, "
        "0, 1, 1); const want = p.getImageData(0, 0, 1, 1).data;"
        " for (const top of tops) { const d = c.getImageData(labelWidth(), "
        "top + 8, 240, 1).data; for (let i = 0; i < d.length; i += 4)"
        " n += d[i] === want[0] && d[i + 1] === want[1] && d[i + 2] === "
        "want[2]; } return n; };"
        "say('hidden', path() < 10, 'of', 240 * tops.length);"
        "show(whole.from, whole.from + 40e6); say('steps', path() > 1);");
    expect(&c, "ticks true true\n");
    expect(&c, "zoomed true true\n");
    expect(&c, "rows true\n");
    expect(&c, "hidden true");
    expect(&c, "steps true\n");
    child_clear(&c);
}
END_TEST

START_TEST(names_cannot_end_the_script)
{
    write_view(s.dir);
    struct child c = child_run(60, "grep -c '</script>' %s/run.html", dir);
    ck_assert_str_eq(c.out, "2\n"); // of the data, and of the page's own
    child_clear(&c);
    c = child_run(60, "%s/commgraph view %s -o %s/none/run.html", child_build(),
                  s.dir, dir);
    ck_assert_msg(c.status == 1 && strstr(c.err, "No such file"), "%s", c.err);
    child_clear(&c);
    static const char *const wrong[] = {
        "", "/a", "-o x.html", "/a -o", "/a /b -o x.html", "/a --bogus"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        c = child_run(60, "%s/commgraph view %s", child_build(), wrong[i]);
        ck_assert_msg(c.status == 2 && strstr(c.err, "usage:"), "'%s': %d %s",
                      wrong[i], c.status, c.err);
        child_clear(&c);
    }
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("view");
    TCase *const t = tcase_create("view");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 300);
    if (!has_browser())
        printf("skipped: tests of the page (no chromium here: make deps)\n");
    tcase_add_test(t, the_page_opens_and_is_searched);
    tcase_add_test(t, an_operation_says_what_it_waited_for);
    tcase_add_test(t, keys_zoom_and_move);
    tcase_add_test(t, a_click_chooses_the_operation_under_it);
    tcase_add_test(t, the_page_says_where_its_time_begins);
    tcase_add_test(t, a_name_stays_within_its_bar);
    tcase_add_test(t, the_page_opens_on_the_first_case);
    tcase_add_test(t, links_are_coloured_by_their_use_at_a_moment);
    tcase_add_test(t, streams_used_one_after_another_share_a_row);
    tcase_add_test(t, a_page_of_one_span_says_nothing_of_others);
    tcase_add_test(t, steps_say_who_holds_which_piece);
    tcase_add_test(t, memory_is_drawn_over_time);
    tcase_add_test(t, a_crowded_timeline_is_readable_on_a_phone);
    tcase_add_test(t, names_cannot_end_the_script);
    suite_add_tcase(suite, t);
    TCase *const speed = tcase_create("speed");
    tcase_add_checked_fixture(speed, setup, teardown);
    tcase_set_timeout(speed, 300);
    tcase_set_tags(speed, "alone");
    tcase_add_test(speed, a_run_of_40000_operations_opens_quickly);
    suite_add_tcase(suite, speed);
    return suite_run(suite);
}
