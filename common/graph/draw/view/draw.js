/* Drawing: the timeline and the use of links, over the time `shown`. */

// ---- canvases ----------------------------------------------------------------

const ROW = 22, BAR = 15, SPAN = 14, AXIS = 22;
let colour = {};
function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of [...LOOKS, 'ink', 'paper', 'line', 'soft', 'dim', 'path', 'mark', 'edge'])
    colour[name] = style.getPropertyValue('--' + name).trim();
}

function context(canvas, height) {
  const scale = window.devicePixelRatio || 1, width = canvas.clientWidth;
  labels = width < 600 ? 104 : 160;
  canvas.style.height = height + 'px';
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const c = canvas.getContext('2d');
  c.scale(scale, scale);
  c.font = '12px system-ui, sans-serif';
  c.textBaseline = 'middle';
  return { c, width, height };
}

let labels = 160; // width of the rows' names, set by context()
const labelWidth = () => labels;
const xOf = (ps, width) => {
  const left = labelWidth();
  return left + (ps - shown.from) / (shown.to - shown.from) * (width - left);
};
const psOf = (x, width) => {
  const left = labelWidth();
  return shown.from + (x - left) / (width - left) * (shown.to - shown.from);
};

/* The index of the first piece that may be visible. Pieces of a row overlap. */
function firstFrom(row, ps) {
  const from = ps - row.longest;
  let low = 0, high = row.list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row.list[middle].begin < from) low = middle + 1; else high = middle;
  }
  return low;
}

// One row for each thread and queue, below a row of spans for each rank.
let tops = [], spanTops = new Map(), tall = 0;
function layOut() {
  let y = AXIS, rank = -1;
  tops = [];
  spanTops.clear();
  for (const r of rows) {
    if (r.rank !== rank) {
      rank = r.rank;
      y += 6;
      spanTops.set(rank, y);
      y += SPAN;
    }
    tops.push(y);
    y += ROW;
  }
  tall = y + 6;
}

const chosen = { node: -1, hits: [], at: -1, hit: new Set() };

function step125(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map(k => k * power).find(s => s >= least);
}

const tick = (t, each) =>
  ((t - whole.from) / 1e6).toFixed(Math.max(0, Math.min(6, Math.ceil(-Math.log10(each / 1e6))))) + ' us';

/* The smallest step that keeps the ticks' texts apart. */
function tickStep(c, width) {
  const length = shown.to - shown.from, room = width - labelWidth();
  let each = step125(length * 60 / room);
  while (widthOf(c, tick(shown.to, each)) + 12 > each / length * room && each < length)
    each = step125(each * 1.01);
  return each;
}

function drawAxis(c, width, height) {
  const each = tickStep(c, width);
  c.textAlign = 'center';
  const origin = whole.from + Math.ceil((shown.from - whole.from) / each) * each;
  for (let t = origin; t <= shown.to; t += each) {
    const x = xOf(t, width);
    c.strokeStyle = colour.line;
    c.beginPath(); c.moveTo(x, AXIS); c.lineTo(x, height); c.stroke();
    c.fillStyle = colour.dim;
    const words = tick(t, each);
    if (x >= labelWidth() && x < width - widthOf(c, words) / 2) c.fillText(words, x, AXIS / 2);
  }
  c.textAlign = 'left';
}

const widths = new Map(); // cached, because measuring is slow
function widthOf(c, words) {
  if (!widths.has(words)) widths.set(words, c.measureText(words).width);
  return widths.get(words);
}

function fitText(c, words, room) {
  if (room < 18) return '';
  const full = widthOf(c, words);
  if (full <= room) return words;
  // fewer than 5 letters of a longer name say nothing
  for (let n = Math.floor(words.length * room / full); n > 4; n--) {
    const part = words.slice(0, n) + '\u2026';
    if (widthOf(c, part) <= room) return part;
  }
  return '';
}

/* Spans nest: draw all of them, the inner ones over the outer ones, then those
 * names that fit, the outer ones first. */
function drawSpans(c, width) {
  const visible = [];
  for (const s of named) {
    if (s.end < shown.from || s.begin > shown.to || (s.end - s.begin) * width < 2 * (shown.to - shown.from)) continue;
    const x = Math.max(labelWidth(), xOf(s.begin, width)), to = Math.min(width, xOf(s.end, width));
    if (to - x >= 2) visible.push({ s, x, to, y: spanTops.get(s.rank) });
  }
  visible.sort((a, b) => b.to - b.x - (a.to - a.x) || a.x - b.x);
  for (const { x, to, y } of visible) {
    c.fillStyle = colour.soft;
    c.fillRect(x, y, to - x, SPAN - 2);
    c.strokeStyle = colour.line;
    c.lineWidth = 1;
    c.strokeRect(x + 0.5, y + 0.5, to - x - 1, SPAN - 3);
  }
  const taken = []; // space that names take: [y, from, to]
  c.fillStyle = colour.dim;
  for (const { s, x, to, y } of visible) {
    const words = fitText(c, text(s.span), to - x - 6), end = x + 9 + widthOf(c, words);
    if (!words || taken.some(t => t[0] === y && x < t[2] && end > t[1])) continue;
    c.fillText(words, x + 3, y + SPAN / 2 - 1);
    taken.push([y, x, end]);
  }
}

function drawRow(c, r, y, width) {
  const left = labelWidth();
  let drawn = -1; // the pixel up to which this row is filled
  for (let k = firstFrom(r, shown.from); k < r.list.length; k++) {
    const p = r.list[k];
    if (p.begin > shown.to) break;
    if (p.begin + p.length < shown.from) continue;
    const x = Math.max(left, xOf(p.begin, width)), to = Math.min(width, xOf(p.begin + p.length, width));
    const special = p.node === chosen.node || chosen.hit.has(p.node);
    if (to <= drawn && !special) continue;
    const wide = Math.max(to - x, 1);
    drawn = wide < 2 ? x + 1 : to; // narrow ones: one per pixel
    // A narrow call would be as white as the page.
    c.fillStyle = colour[p.look === 0 && wide <= 3 ? 'wait' : LOOKS[p.look]];
    c.fillRect(x, y + 3, wide, BAR);
    if (wide > 3) {
      c.strokeStyle = colour.edge;
      c.lineWidth = 0.5;
      c.strokeRect(x + 0.25, y + 3.25, wide - 0.5, BAR - 0.5);
    }
    if (wide > 24) {
      c.fillStyle = p.look === 5 ? colour.paper : colour.ink;
      c.fillText(fitText(c, text(run.name[p.node]) || MEANS[p.look], wide - 6), x + 3, y + 3 + BAR / 2);
    }
    if (special) {
      c.strokeStyle = colour.mark;
      c.lineWidth = p.node === chosen.node ? 3 : 1.5;
      c.strokeRect(x - 1, y + 2, wide + 2, BAR + 2);
    }
  }
}

/* The row of a step's host part or device part: the one whose
 * piece begins there. */
function pathRow(node, begin) {
  const device = rowOf[node];
  if (begin >= start[node] - run.ready[node]) return device;
  for (let k = device; k >= 0 && rows[k].rank === run.rank[node]; k--)
    if (!rows[k].queue) return k;
  return device;
}
const pathRows = [];
for (let k = 0; k < run.path.length; k += 3) pathRows.push(pathRow(run.path[k], run.path[k + 1]));

/* The path as a list of stays in a row, cut to the visible time. */
function pathStays(width) {
  const stays = [];
  for (let k = 0; k < run.path.length; k += 3) {
    const begin = run.path[k + 1], to = begin + run.path[k + 2];
    if (to < shown.from) continue;
    if (begin > shown.to) break;
    const x = Math.max(labelWidth(), xOf(begin, width)), end = Math.min(width, xOf(to, width));
    const last = stays[stays.length - 1], row = pathRows[k / 3];
    if (last && last.row === row) last.to = end; else stays.push({ row, x, to: end });
  }
  return stays;
}

/*
 * The path is a line along the bottom of its bars. It steps from row to row
 * between two stays that are wide enough to see and close to each other. In a
 * crowd there are no steps, because they would cover the rows.
 */
const STEP = 6;
function drawPath(c, width) {
  const drawn = new Map(); // by row: the pixel up to which the line is drawn
  const yOf = row => tops[row] + BAR + 5;
  let wide = null;
  c.strokeStyle = colour.path;
  c.lineWidth = width < 600 ? 2 : 3;
  c.beginPath();
  for (const s of pathStays(width)) {
    const x = Math.max(s.x, drawn.get(s.row) ?? -1), to = Math.max(s.to, s.x + 1);
    if (s.to - s.x >= STEP) {
      if (wide && wide.row !== s.row && s.x - wide.to < STEP) {
        c.moveTo(s.x, yOf(wide.row));
        c.lineTo(s.x, yOf(s.row));
      }
      wide = s;
    }
    if (to <= x) continue;
    c.moveTo(x, yOf(s.row));
    c.lineTo(to, yOf(s.row));
    drawn.set(s.row, to);
  }
  c.stroke();
}

/* Mark the moment for which the machine is drawn. */
function drawMoment(c, width, height) {
  const x = xOf(moment, width);
  if (x < labelWidth() || x > width) return;
  c.strokeStyle = colour.mark;
  c.lineWidth = 1.5;
  c.beginPath(); c.moveTo(x, AXIS - 6); c.lineTo(x, height); c.stroke();
}

/* The rank is written above its rows. */
const shortName = r => r.name.replace(/^rank \d+ /, '').replace('non-blocking stream', 'stream');

function draw() {
  const { c, width, height } = context($('timeline'), tall);
  c.fillStyle = colour.paper;
  c.fillRect(0, 0, width, height);
  drawAxis(c, width, height);
  drawSpans(c, width);
  rows.forEach((r, i) => drawRow(c, r, tops[i], width));
  if ($('critical').checked) drawPath(c, width);
  drawMoment(c, width, height);
  c.fillStyle = colour.paper;
  c.fillRect(0, AXIS, labelWidth() - 1, height);
  c.fillStyle = colour.dim;
  rows.forEach((r, i) => c.fillText(fitText(c, shortName(r), labelWidth() - 14), 10, tops[i] + ROW / 2));
  c.fillStyle = colour.ink;
  for (const [rank, y] of spanTops) c.fillText('rank ' + rank, 4, y + SPAN / 2);
}

let waiting = false, resting = 0;
function later() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; draw(); });
  clearTimeout(resting);
  // once the view stands still
  resting = setTimeout(() => { drawLinks(); drawMemory(); drawMachine(); }, 100);
}

// ---- links -------------------------------------------------------------------

const isLink = name => !/^(fp|tf32|hbm|copy engines)/.test(name);

/* Bytes on each resource in each bin of the time shown. An operation's work is
 * spread evenly over its time. */
function linkUse(bins) {
  const use = new Map(), bin = (shown.to - shown.from) / bins;
  for (let i = 0; i < count; i++) {
    const pairs = run.uses[run.use[i]];
    if (!pairs.length || end(i) <= shown.from || start[i] >= shown.to || !run.took[i]) continue;
    const a = Math.max(0, (start[i] - shown.from) / bin), b = Math.min(bins, (end(i) - shown.from) / bin);
    for (const [resource, amount] of pairs) {
      if (!isLink(run.resources[resource][0])) continue;
      if (!use.has(resource)) use.set(resource, new Float64Array(bins));
      const list = use.get(resource), rate = amount / run.took[i] * 1e12 / run.resources[resource][1];
      for (let k = Math.floor(a); k < b; k++)
        list[k] += rate * (Math.min(k + 1, b) - Math.max(k, a));
    }
  }
  return use;
}

function drawLinks() {
  const bins = Math.max(50, Math.min(400, Math.floor(($('links').clientWidth - labelWidth()) / 3)));
  const use = linkUse(bins);
  const list = [...use].map(([resource, values]) => {
    const mean = values.reduce((a, b) => a + b, 0) / bins;
    return { name: run.resources[resource][0], values, mean };
  }).sort((a, b) => b.mean - a.mean).slice(0, 24);
  list.sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
  const { c, width, height } = context($('links'), Math.max(30, list.length * 18 + 4));
  const left = labelWidth(), wide = (width - left) / bins;
  c.fillStyle = colour.paper;
  c.fillRect(0, 0, width, height);
  list.forEach((l, row) => {
    const y = row * 18 + 2;
    c.fillStyle = colour.soft;
    c.fillRect(left, y, width - left, 15);
    c.fillStyle = colour.exposed;
    l.values.forEach((v, k) => {
      const tallness = v > 0 ? Math.max(1, Math.min(1, v) * 15) : 0;
      if (tallness) c.fillRect(left + k * wide, y + 15 - tallness, wide + 0.3, tallness);
    });
    c.fillStyle = colour.dim;
    c.fillText(fitText(c, l.name, left - 42), 4, y + 8);
    c.textAlign = 'right';
    c.fillText(percent(l.mean), left - 4, y + 8);
    c.textAlign = 'left';
  });
  if (!list.length) {
    c.fillStyle = colour.dim;
    c.fillText('no link is used in this time', 4, 15);
  }
  $('links').setAttribute('aria-label', 'Mean use of links: ' +
    (list.map(l => l.name + ' ' + percent(l.mean)).join(', ') || 'none'));
}
