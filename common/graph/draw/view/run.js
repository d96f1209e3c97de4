'use strict';
/*
 * The run in the element "run" (view_data.h describes it): its times, rows,
 * spans, and critical path. Times are picoseconds. The page consists of run.js,
 * draw.js, memory.js, machine.js and view.js, in this order; nothing is fetched.
 */
const run = JSON.parse(document.getElementById('run').textContent);
const count = run.rank.length;
const $ = id => document.getElementById(id);
const text = number => run.strings[number];

// ---- times -------------------------------------------------------------------

const start = new Float64Array(count);
for (let i = 0, at = 0; i < count; i++) start[i] = at += run.start[i];
const end = i => start[i] + run.took[i];
const issued = i => start[i] - run.issued[i];
const us = ps => (ps / 1e6).toFixed(3);

/* Skip set-up: the page starts with the first operation on a device. */
const HOST = 0, MARK = 8, MPI = 9;
let first = Infinity, setup = 0; // setup: the time skipped before `first`
for (let i = 0; i < count; i++)
  if (run.kind[i] !== HOST && run.kind[i] !== MPI && run.kind[i] !== MARK)
    first = Math.min(first, issued(i));
if (first === Infinity) first = 0;
for (let i = 0; i < count; i++) setup = Math.max(setup, first - issued(i));
const whole = { from: first, to: Math.max(run.end, first + 1) };
const shown = { ...whole };

// ---- rows: their pieces in the order of time ---------------------------------

const LOOKS = ['host', 'wait', 'compute', 'local', 'hidden', 'exposed', 'pending'];
const MEANS = ['host call', 'host waits', 'computation', 'host copy, memset',
  'communication, hidden', 'communication, exposed', 'waits for its peers'];

/* One line for each thread or queue. */
const lines = run.rows.map(([name, rank, queue]) => ({ name, rank, queue, list: [], first: Infinity, last: 0 }));
const lineOf = []; // by node: its line
run.pieces.forEach((p, node) => {
  for (let k = 0; k < p.length; k += 4) {
    const line = lines[p[k]], begin = start[node] + p[k + 2];
    line.list.push({ node, look: p[k + 1], begin, length: p[k + 3] });
    line.first = Math.min(line.first, begin);
    line.last = Math.max(line.last, begin + p[k + 3]);
    lineOf[node] = p[k];
  }
});
delete run.pieces;

/* Queues of one rank that are used one after another share a row, because each
 * case of a lab makes its own streams. */
const rows = [], rowOfLine = [];
lines.map((line, k) => k).sort((a, b) => lines[a].rank - lines[b].rank ||
  lines[a].queue - lines[b].queue || (lines[a].queue && lines[a].first - lines[b].first) || a - b).forEach(k => {
  const line = lines[k];
  let at = line.queue ? rows.findIndex(r => r.queue && r.rank === line.rank && r.last <= line.first) : -1;
  if (at < 0)
    at = rows.push({ name: line.name, rank: line.rank, queue: line.queue, list: [], last: 0, lines: 0 }) - 1;
  const r = rows[at];
  r.list.push(...line.list);
  r.last = line.last;
  if (++r.lines > 1) r.name = 'rank ' + r.rank + ' ' + r.lines + ' streams in turn';
  rowOfLine[k] = at;
});
const rowOf = lineOf.map(line => rowOfLine[line]);
for (const r of rows) {
  r.list.sort((a, b) => a.begin - b.begin);
  r.longest = r.list.reduce((most, p) => Math.max(most, p.length), 0);
}

/* Consecutive operations that were issued in one NVTX range, for the row above
 * each rank's host. */
const spans = [];
for (let i = 0; i < count; i++) {
  const last = spans[spans.length - 1];
  const to = Math.max(end(i), issued(i));
  if (last && last.rank === run.rank[i] && last.span === run.span[i]) {
    last.end = Math.max(last.end, to);
    last.begin = Math.min(last.begin, issued(i));
  } else
    spans.push({ rank: run.rank[i], span: run.span[i], begin: issued(i), end: to });
}
const named = spans.filter(s => s.span);

const onPath = new Map(); // by node: its time on the path, call and operation
for (let k = 0; k < run.path.length; k += 3)
  onPath.set(run.path[k], (onPath.get(run.path[k]) || 0) + run.path[k + 2]);

// by match: its members, under the number of the first
const members = new Map();
for (let i = 0; i < count; i++)
  if (run.match[i] >= 0) {
    if (!members.has(run.match[i])) members.set(run.match[i], []);
    members.get(run.match[i]).push(i);
  }
