/*
 * verb_serve.c: grade serve
 *
 * Serves the live page (live.h) by HTTP, or writes it as a file to a folder
 * that a web server shows: under another user, so its mode is the umask's, and
 * the page has no names. HTTP: the answer to any GET is the page; anything
 * else is refused. A connection is for one request, and is closed if it is
 * silent for too long.
 */
#define _GNU_SOURCE
#include <arpa/inet.h> /* inet_pton */
#include <errno.h>     /* EINVAL */
#include <limits.h>    /* PATH_MAX */
#include <microhttpd.h>
#include <signal.h> /* sigwait */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strlen */
#include <time.h>   /* clock_gettime */
#include <unistd.h> /* access */

#include "grader/base/folder.h"
#include "grader/export/live.h"
#include "grader/verbs/verbs.h"

struct options {
    const char *ledger, *key, *lab, *bind, *out;
    int port, once;
};

#define AT(member) offsetof(struct options, member)
static const struct verb_option known[] = {
    VERB_OPTION(VERB_TEXT, "ledger", "FILE", AT(ledger),
                "what grade batch writes", .required = 1),
    VERB_OPTION(VERB_TEXT, "lab", "LAB", AT(lab), "lab1, or its full name",
                .required = 1),
    VERB_OPTION(VERB_NUMBER, "port", "N", AT(port),
                "of HTTP (default 8080; 0: a free one, which is printed)",
                .most = 65535),
    VERB_OPTION(VERB_TEXT, "bind", "ADDRESS", AT(bind),
                "who may connect: 127.0.0.1 (default), this machine; 0.0.0.0,\n"
                "all"),
    VERB_OPTION(VERB_TEXT, "out", "DIR", AT(out),
                "no HTTP: write DIR/index.html again and again"),
    VERB_OPTION(VERB_FLAG, "once", NULL, AT(once), "with --out: once"),
    VERB_OPTION(VERB_TEXT, "key", "FILE", AT(key),
                "the ledger's key, if it is elsewhere"),
    {.name = NULL}};
static const struct verb serve_verb = {
    .name = "serve",
    .intro = "Show how far a batch is, and a leaderboard under pseudonyms, on "
             "a page that\nrefreshes itself.",
    .options = known,
    .outro = "It ends when interrupted. Exit status: 0, 2 usage, 3 this "
             "machine's fault."};

struct server {
    const struct options *o;
    char *page; /* the latest page; NULL: none yet */
    size_t nbytes;
    int64_t made_ms;
};

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Read the ledger, but not too often, however many clients ask for the page. */
static void refresh(struct server *s)
{
    char err[512];
    size_t nbytes;
    const int64_t now = now_ms();
    if (s->page && now < s->made_ms + 1000 * LIVE_EVERY_SEC / 2)
        return;
    s->made_ms = now;
    char *const page =
        live_page(s->o->ledger, s->o->key, s->o->lab, &nbytes, err, sizeof err);
    if (!page)
        return; // keep the latest page
    free(s->page);
    s->page = page;
    s->nbytes = nbytes;
}

/* ---- HTTP ---------------------------------------------------------------- */

enum {
    MOST_CLIENTS = 200,  /* further clients wait until one leaves */
    SILENT_SEC = 10,     /* seconds of silence after which a client is
                            dropped */
    MOST_REQUEST = 16384 /* bytes of a request and of its answer's head */
};

/* Called by libmicrohttpd once a request's head has been read. libmicrohttpd
 * frees the copy of the page after sending it. */
static enum MHD_Result answer(void *server, struct MHD_Connection *connection,
                              const char *url, const char *method,
                              const char *version, const char *upload,
                              size_t *upload_nbytes, void **request)
{
    struct server *const s = server;
    const int is_get = strcmp(method, MHD_HTTP_METHOD_GET) == 0;
    (void)url, (void)version, (void)upload, (void)upload_nbytes, (void)request;
    refresh(s);
    const char *const body = !is_get    ? "only GET\n"
                             : !s->page ? "no batch of this lab yet\n"
                                        : s->page;
    struct MHD_Response *const r = MHD_create_response_from_buffer(
        strlen(body), (void *)body, MHD_RESPMEM_MUST_COPY);
    if (!r)
        return MHD_NO;
    MHD_set_response_options(r, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT,
                             MHD_RO_END); // one request per connection
    MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE,
                            body == s->page ? "text/html; charset=utf-8"
                                            : "text/plain; charset=utf-8");
    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    const enum MHD_Result queued =
        MHD_queue_response(connection,
                           !is_get    ? MHD_HTTP_METHOD_NOT_ALLOWED
                           : !s->page ? MHD_HTTP_SERVICE_UNAVAILABLE
                                      : MHD_HTTP_OK,
                           r);
    MHD_destroy_response(r);
    return queued;
}

/* Answer requests in a thread, which is the only user of s from then on. NULL
 * after printing why not. */
static struct MHD_Daemon *listen_to(struct server *s)
{
    const char *const address = s->o->bind ? s->o->bind : "127.0.0.1";
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)s->o->port)};
    struct MHD_Daemon *d = NULL;
    errno = EINVAL;
    if (inet_pton(AF_INET, address, &at.sin_addr) == 1)
        d = MHD_start_daemon(
            MHD_USE_POLL_INTERNAL_THREAD, 0, NULL, NULL, answer, s,
            MHD_OPTION_SOCK_ADDR, &at, MHD_OPTION_CONNECTION_LIMIT,
            (unsigned)MOST_CLIENTS, MHD_OPTION_CONNECTION_TIMEOUT,
            (unsigned)SILENT_SEC, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
            (size_t)MOST_REQUEST, MHD_OPTION_END);
    if (!d) {
        verb_wrong("serve", "%s port %d: %m", address, s->o->port);
        return NULL;
    }
    printf("http://%s:%d/\n", address,
           MHD_get_daemon_info(d, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    return d;
}

static int serve_http(struct server *s, const sigset_t *interrupts)
{
    struct MHD_Daemon *const d = listen_to(s);
    int signal;
    if (!d)
        return -1;
    sigwait(interrupts, &signal);
    MHD_stop_daemon(d);
    return 0;
}

/* ---- a folder ------------------------------------------------------------ */

/* Write the file under another name first, so that a reader finds all of it. */
static int write_page(struct server *s)
{
    char path[PATH_MAX], fresh[PATH_MAX + 8];
    refresh(s);
    if (!s->page)
        return 0;
    snprintf(path, sizeof path, "%s/index.html", s->o->out);
    snprintf(fresh, sizeof fresh, "%s.new", path);
    FILE *const f = fopen(fresh, "we");
    const int good = f && fwrite(s->page, 1, s->nbytes, f) == s->nbytes;
    if (!f || fclose(f) != 0 || !good || rename(fresh, path) != 0) {
        verb_wrong("serve", "%s: %m", path);
        return -1;
    }
    return 0;
}

static int serve_folder(struct server *s, const sigset_t *interrupts)
{
    const struct timespec every = {.tv_sec = LIVE_EVERY_SEC};
    if (folder_make_shared(s->o->out) != 0) {
        verb_wrong("serve", "%s: %m", s->o->out);
        return -1;
    }
    if (write_page(s) != 0)
        return -1;
    while (!s->o->once && sigtimedwait(interrupts, NULL, &every) < 0)
        write_page(s);
    return 0;
}

/* ---- the command --------------------------------------------------------- */

static int serve(const struct options *o)
{
    struct server s = {.o = o};
    sigset_t interrupts;
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    sigaddset(&interrupts, SIGTERM);
    sigprocmask(SIG_BLOCK, &interrupts, NULL); // blocked in MHD's thread, too
    const int err =
        o->out ? serve_folder(&s, &interrupts) : serve_http(&s, &interrupts);
    free(s.page);
    return err ? EXIT_INFRA : EXIT_FULL;
}

int verb_serve(int argc, char **argv)
{
    struct options o = {.port = 8080};
    char err[512];
    size_t nbytes;
    int status;
    if (verb_parse(&serve_verb, argc, argv, &o, &status) < 0)
        return status;
    if (o.once && !o.out)
        return verb_wrong("serve", "--once is for --out");
    if (access(o.ledger, F_OK) == 0) { // a later batch may create it
        char *const page =
            live_page(o.ledger, o.key, o.lab, &nbytes, err, sizeof err);
        if (!page)
            return verb_wrong("serve", "%s", err);
        free(page);
    }
    return serve(&o);
}
