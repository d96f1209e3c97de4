/*
 * verb_serve.c: grade serve
 *
 * The live page (live.h), by HTTP or as a file in a folder that a web server
 * shows. HTTP: any GET has the page as its answer, anything else is refused; a
 * connection is one request, and is closed after a few seconds.
 */
#define _GNU_SOURCE
#include <limits.h> /* PATH_MAX */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free */
#include <string.h> /* memmem */
#include <unistd.h> /* access */
#include <uv.h>

#include "folder.h"
#include "live.h"
#include "verb.h"

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
    uv_loop_t loop;
    uv_tcp_t tcp;
    uv_timer_t timer;
    uv_signal_t interrupt[2];
    char *page; /* the last one; NULL: none yet */
    size_t nbytes;
    uint64_t made_ms;
    int nclients;
};

/* The ledger is read at most once in a while, however many look. */
static void refresh(struct server *s)
{
    char err[512];
    size_t nbytes;
    const uint64_t now = uv_now(&s->loop);
    if (s->page && now < s->made_ms + 1000 * LIVE_EVERY_SEC / 2)
        return;
    s->made_ms = now;
    char *const page =
        live_page(s->o->ledger, s->o->key, s->o->lab, &nbytes, err, sizeof err);
    if (!page)
        return; // the last one stays
    free(s->page);
    s->page = page;
    s->nbytes = nbytes;
}

/* ---- HTTP ---------------------------------------------------------------- */

enum { MOST_CLIENTS = 200, MOST_REQUEST = 8192, MOST_MS = 10000 };

struct client {
    struct server *server;
    uv_tcp_t tcp;
    uv_timer_t timer;
    uv_write_t write;
    char request[MOST_REQUEST];
    size_t nrequest;
    char *answer;
    int nopen, answered;
};

static void on_closed(uv_handle_t *handle)
{
    struct client *const c = handle->data;
    if (--c->nopen > 0)
        return;
    c->server->nclients--;
    free(c->answer);
    free(c);
}

static void drop(struct client *c)
{
    uv_handle_t *const handles[] = {(uv_handle_t *)&c->tcp,
                                    (uv_handle_t *)&c->timer};
    for (int i = 0; i < 2; i++)
        if (!uv_is_closing(handles[i]))
            uv_close(handles[i], on_closed);
}

static void on_timer(uv_timer_t *timer)
{
    drop(timer->data);
}

static void on_written(uv_write_t *write, int status)
{
    (void)status;
    drop(write->data);
}

static void answer(struct client *c)
{
    struct server *const s = c->server;
    const int is_get = c->nrequest > 4 && memcmp(c->request, "GET ", 4) == 0;
    size_t nbytes;
    refresh(s);
    const char *const body = !is_get    ? "only GET\n"
                             : !s->page ? "no batch of this lab yet\n"
                                        : s->page;
    FILE *const f = open_memstream(&c->answer, &nbytes);
    fprintf(f,
            "HTTP/1.0 %s\r\nContent-Type: text/%s; charset=utf-8\r\n"
            "X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n"
            "Content-Length: %zu\r\nConnection: close\r\n\r\n%s",
            !is_get    ? "405 Method Not Allowed"
            : !s->page ? "503 Service Unavailable"
                       : "200 OK",
            body == s->page ? "html" : "plain", strlen(body), body);
    fclose(f);
    const uv_buf_t buf = uv_buf_init(c->answer, (unsigned)nbytes);
    c->answered = 1;
    c->write.data = c;
    uv_read_stop((uv_stream_t *)&c->tcp);
    if (uv_write(&c->write, (uv_stream_t *)&c->tcp, &buf, 1, on_written) != 0)
        drop(c);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    struct client *const c = handle->data;
    (void)suggested;
    *buf = uv_buf_init(c->request + c->nrequest,
                       (unsigned)(MOST_REQUEST - c->nrequest));
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct client *const c = stream->data;
    (void)buf;
    if (n < 0) {
        drop(c);
        return;
    }
    c->nrequest += (size_t)n;
    if (memmem(c->request, c->nrequest, "\r\n\r\n", 4))
        answer(c);
    else if (c->nrequest == MOST_REQUEST)
        drop(c);
}

static void on_connection(uv_stream_t *tcp, int status)
{
    struct server *const s = tcp->data;
    struct client *const c = status == 0 ? calloc(1, sizeof *c) : NULL;
    if (!c)
        return;
    c->server = s;
    c->nopen = 2;
    c->tcp.data = c->timer.data = c;
    s->nclients++;
    uv_tcp_init(&s->loop, &c->tcp);
    uv_timer_init(&s->loop, &c->timer);
    uv_timer_start(&c->timer, on_timer, MOST_MS, 0);
    if (uv_accept(tcp, (uv_stream_t *)&c->tcp) != 0 ||
        s->nclients > MOST_CLIENTS ||
        uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read) != 0)
        drop(c);
}

static int listen_to(struct server *s)
{
    const char *const address = s->o->bind ? s->o->bind : "127.0.0.1";
    struct sockaddr_in at;
    int nbytes = sizeof at;
    uv_tcp_init(&s->loop, &s->tcp);
    s->tcp.data = s;
    int err = uv_ip4_addr(address, s->o->port, &at);
    if (err == 0)
        err = uv_tcp_bind(&s->tcp, (const struct sockaddr *)&at, 0);
    if (err == 0)
        err = uv_listen((uv_stream_t *)&s->tcp, 64, on_connection);
    if (err != 0) {
        verb_wrong("serve", "%s port %d: %s", address, s->o->port,
                   uv_strerror(err));
        return -1;
    }
    uv_tcp_getsockname(&s->tcp, (struct sockaddr *)&at, &nbytes);
    printf("http://%s:%d/\n", address, ntohs(at.sin_port));
    fflush(stdout);
    return 0;
}

/* ---- a folder ------------------------------------------------------------ */

/* Under another name first: a reader finds all of it. */
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

static void on_tick(uv_timer_t *timer)
{
    write_page(timer->data);
}

static int watch(struct server *s)
{
    if (folder_make(s->o->out) != 0) {
        verb_wrong("serve", "%s: %m", s->o->out);
        return -1;
    }
    if (write_page(s) != 0)
        return -1;
    uv_timer_init(&s->loop, &s->timer);
    s->timer.data = s;
    uv_timer_start(&s->timer, on_tick, 1000 * LIVE_EVERY_SEC,
                   1000 * LIVE_EVERY_SEC);
    return 0;
}

/* ---- all of it ----------------------------------------------------------- */

static void on_interrupt(uv_signal_t *signal, int number)
{
    (void)number;
    uv_stop(signal->loop);
}

/* A client's handles know it, the server's know the server or nothing. */
static void close_handle(uv_handle_t *handle, void *server)
{
    const int is_client = handle->data && handle->data != server;
    if (!uv_is_closing(handle))
        uv_close(handle, is_client ? on_closed : NULL);
}

static void close_loop(struct server *s)
{
    uv_walk(&s->loop, close_handle, s);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    uv_loop_close(&s->loop);
}

static int serve(const struct options *o)
{
    static const int signals[] = {SIGINT, SIGTERM};
    struct server s = {.o = o};
    if (uv_loop_init(&s.loop) != 0)
        abort();
    const int err = o->out ? watch(&s) : listen_to(&s);
    for (int i = 0; i < 2; i++) {
        uv_signal_init(&s.loop, &s.interrupt[i]);
        uv_signal_start(&s.interrupt[i], on_interrupt, signals[i]);
    }
    if (!err && !(o->out && o->once))
        uv_run(&s.loop, UV_RUN_DEFAULT);
    close_loop(&s);
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
    if (access(o.ledger, F_OK) == 0) { // a batch may still be to come
        char *const page =
            live_page(o.ledger, o.key, o.lab, &nbytes, err, sizeof err);
        if (!page)
            return verb_wrong("serve", "%s", err);
        free(page);
    }
    return serve(&o);
}
