/*
 * recorder.h: how a rank hands out what it records, while it runs
 *
 * A graded run has a recorder, in a process that no rank can reach. It listens
 * on a socket RECORDER_NAME in a folder, which a rank joins once for its
 * evidence (judge/evidence.h) and once for its execution graph
 * (graph/record.h), before any student code runs. After that it listens no
 * more. What the recorder has taken stays as it was. On simgpu there is a third
 * connection, about its devices' memory.
 *
 *     rank      hello [the graph's memfd]    records, with requests among them
 *     recorder                               replies to the requests
 *
 * A reply is its length (u32) and as many bytes. Nothing else comes back.
 *
 * An execution graph has a record for each operation, and writing to a pipe
 * costs half as much as sending: the reply to a graph's hello carries the write
 * end of a pipe for the records. The recorder creates it with a mode that lets
 * nobody open it again, and ranks cannot make the system calls that would
 * change the mode (grader/confine.h), so what has been written cannot be taken
 * back.
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
    RECORDER_GRAPH,    /* records of graph/format.h, the header before them */
    RECORDER_MEMORY,   /* struct recorder_note */
    RECORDER_ROLES
};

enum recorder_note_kind {
    RECORDER_HEAP, /* a device's memory is the file that comes with it */
    RECORDER_BEGIN /* an operation is about to run; there is a reply when what
                      it overwrites is spoiled (graph/overwrite.h) */
};

struct recorder_note {
    uint32_t kind;
    uint32_t number; /* of a device of the process; of a node of the graph */
};

struct recorder_hello {
    uint32_t magic, role, rank;
};

/*
 * Join the recorder of a folder; fd goes with it, unless it is -1. Returns the
 * connection, or -1 with errno: ENOENT if the folder has no recorder.
 */
int recorder_join(const char *dir, enum recorder_role role, uint32_t rank,
                  int fd);

/* A connection to the socket of that name in a folder; or -1 with errno. */
int recorder_connect(const char *dir, const char *socket_name);

/*
 * The pipe that comes with the reply to the hello of a graph; or -1 if the
 * recorder is gone. From here on the process ignores SIGPIPE: if the recorder
 * stops reading, writes fail and the rank continues.
 */
int recorder_pipe(int connection);

/* Write all of it to that pipe. Returns 0, or -1 with errno. */
int recorder_append(int pipe, const void *data, size_t nbytes);

/* Write all of it to a connection. Returns 0, or -1 with errno. */
int recorder_write(int connection, const void *data, size_t nbytes);

/* The same, with a file descriptor, unless it is -1. */
int recorder_write_with(int connection, const void *data, size_t nbytes,
                        int fd);

/* As recv(); a descriptor that comes with the bytes takes the place of *fd. */
ssize_t recorder_receive(int connection, void *data, size_t nbytes, int flags,
                         int *fd);

/* Wait for a reply of nbytes. 0, or -1 if the recorder is gone or has replied
 * something else. */
int recorder_reply_to(int connection, void *out, size_t nbytes);

/*
 * Wait for the reply to a request. Returns it with a NUL behind it, from
 * malloc, or NULL if the recorder is gone.
 */
char *recorder_reply(int connection);

#endif
