/*
 * recorder.h: how a rank hands over its records while it runs
 *
 * A graded run has a recorder, in a process that no rank can reach. It listens
 * on a socket RECORDER_NAME in a folder. Before any student code runs, a rank
 * connects once for its evidence (judge/evidence.h) and once for its execution
 * graph (graph/record/record.h); on simgpu it makes a third connection, for its
 * devices' memory. Then the recorder stops listening. No rank can change what
 * the recorder has received.
 *
 *     rank      hello [the graph's memfd]    records, with requests among them
 *     recorder                               replies to the requests
 *
 * A reply is its length (u32) and that many bytes. The recorder sends nothing
 * else.
 *
 * An execution graph has a record for each operation, and writing to a pipe
 * costs half as much as sending. So the reply to a graph's hello carries the
 * write end of a pipe for the records. The recorder creates the pipe with a
 * mode that lets no process reopen it, and ranks can't make the system calls
 * that would change the mode (grader/sandbox/confine.h), so what has been
 * written can't be taken back.
 */
#ifndef COMMLAB_BASE_RECORDER_H
#define COMMLAB_BASE_RECORDER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h> /* ssize_t */

#define RECORDER_NAME "recorder"

enum { RECORDER_MAGIC = 0x52635631 }; /* "1VcR" */

enum recorder_role {
    RECORDER_EVIDENCE, /* records of judge/record.h */
    RECORDER_GRAPH,    /* records of graph/record/format.h, after the header */
    RECORDER_MEMORY,   /* struct recorder_note */
    RECORDER_ROLES
};

enum recorder_note_kind {
    RECORDER_HEAP, /* the file sent along is a device's memory */
    RECORDER_BEGIN /* an operation is about to run; the reply follows once what
                      it overwrites is spoiled (graph/hazard/overwrite.h) */
};

struct recorder_note {
    uint32_t kind;
    uint32_t number; /* number of a device of the process, or of a node of
                        the graph */
};

struct recorder_hello {
    uint32_t magic, role, rank;
};

/*
 * Connect to the recorder of a folder, and send fd along unless it is -1.
 * Returns the connection, or -1 with errno: ENOENT if the folder has no
 * recorder.
 */
int recorder_join(const char *dir, enum recorder_role role, uint32_t rank,
                  int fd);

/* Connect to the socket with this name in a folder. Returns -1 with
 * errno on failure. */
int recorder_connect(const char *dir, const char *socket_name);

/*
 * The pipe sent with the reply to a graph's hello; -1 if the recorder is gone.
 * From then on the process ignores SIGPIPE: if the recorder stops reading,
 * writes fail and the rank continues.
 */
int recorder_pipe(int connection);

/* Write all bytes to that pipe. Returns 0, or -1 with errno. */
int recorder_append(int pipe, const void *data, size_t nbytes);

/* Write all bytes to a connection. Returns 0, or -1 with errno. */
int recorder_write(int connection, const void *data, size_t nbytes);

/* The same, and send a file descriptor along unless it is -1. */
int recorder_write_with(int connection, const void *data, size_t nbytes,
                        int fd);

/* Like recv(). If a descriptor comes with the bytes, it replaces *fd. */
ssize_t recorder_receive(int connection, void *data, size_t nbytes, int flags,
                         int *fd);

/* Wait for a reply of nbytes. Returns 0, or -1 if the recorder is gone or its
 * reply has another length. */
int recorder_reply_to(int connection, void *out, size_t nbytes);

/*
 * Wait for the reply to a request. Returns it with a NUL appended, from
 * malloc(), or NULL if the recorder is gone.
 */
char *recorder_reply(int connection);

#endif
