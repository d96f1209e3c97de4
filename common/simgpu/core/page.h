/*
 * page.h: the control page, what processes of a job show each other
 *
 * One memfd per process, mapped by its peers. Everything in it is written by
 * its owner alone, but for `lost` and `fault_key`, which any process may set to
 * end the job.
 */
#ifndef SIMGPU_CORE_PAGE_H
#define SIMGPU_CORE_PAGE_H

#include <stdatomic.h>
#include <stdint.h>

#include "core/proc.h"

enum { PAGE_RUNNING = 1, PAGE_EXITED = 2 };
enum { PAGE_FAULT_KEYS = 16, PAGE_WAIT_TEXT = 4096, PAGE_WAITS = 32 };

struct page_wait {   /* of a thread, for watch.h */
    uint32_t thread; /* of the host; UINT32_MAX: a stream's worker */
    uint32_t at;     /* the operation that the worker is at */
    uint32_t node;   /* what has to end; at: what it runs has to */
    uint32_t peer;   /* 1 + the rank that it waits for; 0: see node */
    uint32_t site;
    char call[44];
};

struct page {
    uint64_t nonce;
    int32_t pid;
    uint32_t rank;
    int32_t graph_fd;
    int32_t heap_fd[PROC_MAX_DEVICES + 1]; /* -1: none yet; last: pinned */
    _Atomic uint32_t state;
    _Atomic uint32_t lost;     /* futex: the job is over, end with status 70 */
    _Atomic int32_t active;    /* threads that are not waiting */
    _Atomic int32_t hungry;    /* operations that wait for a flag (flag.h) */
    _Atomic uint64_t progress; /* grows when something gets done */
    _Atomic uint32_t aborted;  /* it aborted a communicator (clock.h) */
    _Atomic uint32_t nended;   /* rank 0's: processes that ended (check.h) */
    _Atomic uint32_t beats;    /* rounds of its watchdog; still when stopped */
    _Atomic uint64_t fault_key[PAGE_FAULT_KEYS]; /* reported, by hash */
    _Atomic uint32_t wait_version; /* odd: what follows is being written */
    uint32_t nwaits;
    struct page_wait wait[PAGE_WAITS];
    char wait_text[PAGE_WAIT_TEXT];
};

/* This process's page. */
struct page *page_own(void);

struct peer {
    struct proc_id id;
    struct page *page;
    struct peer *next;
    uint32_t beats; /* page->beats when our watchdog's quiet began */
    void *heap[PROC_MAX_DEVICES + 1]; /* raw views, mapped by heap_peer.c */
};

/* All known peers, newest first; the list only grows. */
struct peer *page_peers(void);

/* Make the page, called once by proc.c. */
void page_create(uint32_t rank);
struct proc_id page_id(void);

/* A thread begins (+1) or ends (-1) to be active. */
void page_active(int change);

/* An operation begins (+1) or ends (-1) to wait for a flag. Whoever will write it
 * is unknown, so it waits for everybody: does anybody, in any known process? */
void page_hungry(int change);
int page_anyone_hungry(void);

/* Tell every known process that the job is over. */
void page_lose_all(void);

/* Claim a fault for this job: 1 for the first that asks with this key. */
int page_claim(const char *key);

#endif
