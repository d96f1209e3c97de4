/* What a person can do: choose, move, search. */

// ---- choosing ----------------------------------------------------------------

function element(tag, content, name) {
  const e = document.createElement(tag);
  if (name) e.className = name;
  e.append(...[content].flat());
  return e;
}

const title = i => (text(run.name[i]) || '(no name)') + ', rank ' + run.rank[i];

function goTo(node) {
  const b = element('button', title(node), 'go');
  b.type = 'button';
  b.addEventListener('click', () => choose(node, true));
  return b;
}

/* Explain in words why the operation began when it did. */
function waitedFor(i) {
  const parts = [];
  const late = run.late[i];
  if (run.ready[i] > 0 && late >= 0)
    parts.push(us(run.ready[i]) + ' us for its peers; the last to come was ', goTo(late), '. ');
  const why = run.why[i], until = run.issued[i] - run.ready[i];
  if (why >= 0) {
    const same = rowOf[why] === rowOf[i] ? ' before it in its row' : '';
    parts.push(us(Math.max(0, until)) + ' us after its call, for ', goTo(why), same + '. ');
  } else if (why === -2)
    parts.push(us(Math.max(0, until)) + ' us after its call, for an operation before those of this page. ');
  else
    parts.push('its own call: the host had not issued it before. ');
  return parts;
}

function bytesText(n) {
  const unit = n >= 1 << 30 ? [1 << 30, 'GiB'] : n >= 1 << 20 ? [1 << 20, 'MiB'] : n >= 1024 ? [1024, 'KiB'] : [1, 'bytes'];
  return (n / unit[0]).toFixed(unit[0] > 1 ? 2 : 0) + ' ' + unit[1];
}

function details(i) {
  const list = element('dl', []);
  const add = (name, value) => list.append(element('dt', name), element('dd', value));
  add('line', text(run.site[i]) || '?');
  add('rank', run.rank[i] + ', operation ' + run.index[i]);
  add('row', lines[lineOf[i]] ? lines[lineOf[i]].name : '');
  if (run.span[i]) add('span', text(run.span[i]));
  add('called', us(issued(i) - whole.from) + ' us');
  add('started', us(start[i] - whole.from) + ' us');
  add('took', us(run.took[i]) + ' us');
  if (run.bytes[i]) {
    add('bytes', bytesText(run.bytes[i]));
    if (run.took[i]) add('rate', (run.bytes[i] / run.took[i] * 1e3).toFixed(2) + ' GB/s');
  }
  add('waited for', waitedFor(i));
  add('bound by', run.bound[i] < 0 ? 'latency' : run.resources[run.bound[i]][0]);
  add('critical path', onPath.has(i) ? 'yes: ' + us(onPath.get(i)) + ' us of it' : 'no: a shorter one would not help');
  const peers = (members.get(run.match[i]) || []).filter(m => m !== i);
  if (peers.length) add('with', peers.slice(0, 16).flatMap(m => [goTo(m), ' ']));
  return list;
}

function choose(i, move) {
  chosen.node = i;
  const box = $('details');
  box.replaceChildren(element('h2', title(i)), details(i));
  if (move) {
    const length = shown.to - shown.from, middle = start[i] + run.took[i] / 2;
    const wanted = Math.max(run.took[i] * 3, Math.min(length, whole.to - whole.from));
    if (start[i] < shown.from || end(i) > shown.to || run.took[i] > length)
      show(middle - wanted / 2, middle + wanted / 2);
  }
  later();
}

/* The piece under a point of the timeline; if several share a
 * pixel, the longest. */
function pieceAt(x, y, width) {
  const row = tops.findIndex(top => y >= top && y < top + ROW);
  if (row < 0 || x < labelWidth()) return null;
  const from = psOf(x - 2, width), to = psOf(x + 2, width);
  let best = null;
  const r = rows[row];
  for (let k = firstFrom(r, from); k < r.list.length && r.list[k].begin <= to; k++) {
    const p = r.list[k];
    if (p.begin + p.length >= from && (!best || p.length > best.length)) best = p;
  }
  return best;
}

// ---- moving ------------------------------------------------------------------

function show(from, to) {
  const least = 1000, most = (whole.to - whole.from) * 1.05;
  const length = Math.max(least, Math.min(to - from, most));
  const middle = (from + to) / 2, slack = (whole.to - whole.from) * 0.025;
  let at = middle - length / 2;
  at = Math.min(at, whole.to + slack - length);
  at = Math.max(at, (whole.from > 0 && from < whole.from && length < most ? 0 : whole.from) - slack);
  shown.from = at;
  shown.to = at + length;
  later();
}

function zoom(factor, x) {
  const width = $('timeline').clientWidth;
  const at = x === undefined ? (shown.from + shown.to) / 2 : psOf(x, width);
  show(at - (at - shown.from) * factor, at + (shown.to - at) * factor);
}

function pan(part) {
  const by = (shown.to - shown.from) * part;
  show(shown.from + by, shown.to + by);
}

function pointers() {
  const canvas = $('timeline'), down = new Map();
  let moved = 0;
  canvas.addEventListener('wheel', e => {
    if (e.ctrlKey || e.metaKey) {
      e.preventDefault();
      zoom(Math.exp(e.deltaY * 0.003), e.offsetX);
    } else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
      e.preventDefault();
      pan((e.deltaX || e.deltaY) / canvas.clientWidth);
    }
  }, { passive: false });
  canvas.addEventListener('pointerdown', e => {
    down.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
    canvas.setPointerCapture(e.pointerId);
    moved = 0;
  });
  canvas.addEventListener('pointermove', e => {
    const before = down.get(e.pointerId);
    if (!before) return;
    const others = [...down].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
    if (others.length) {
      const was = Math.abs(before.x - others[0].x), is = Math.abs(e.offsetX - others[0].x);
      if (was > 10 && is > 10) zoom(was / is, (e.offsetX + others[0].x) / 2);
    } else
      pan((before.x - e.offsetX) / (canvas.clientWidth - labelWidth()));
    moved += Math.abs(e.offsetX - before.x) + Math.abs(e.offsetY - before.y);
    down.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
  });
  canvas.addEventListener('pointerup', e => {
    down.delete(e.pointerId);
    if (moved >= 6 || e.offsetX < labelWidth()) return;
    const p = pieceAt(e.offsetX, e.offsetY, canvas.clientWidth);
    if (p) choose(p.node, false);
    setMoment(psOf(e.offsetX, canvas.clientWidth));
  });
  canvas.addEventListener('pointercancel', e => down.delete(e.pointerId));
}

/* The operation before or after the chosen one in its row, by time. */
function neighbour(by) {
  const r = rows[chosen.node < 0 ? 0 : rowOf[chosen.node]];
  let k = r.list.findIndex(p => p.node === chosen.node);
  while (r.list[k + by] && r.list[k + by].node === chosen.node) k += by;
  const p = r.list[k + by];
  if (p) choose(p.node, true);
}

const keys = {
  ArrowLeft: e => e.shiftKey ? neighbour(-1) : pan(-0.2),
  ArrowRight: e => e.shiftKey ? neighbour(1) : pan(0.2),
  '+': () => zoom(0.5), '=': () => zoom(0.5), '-': () => zoom(2),
  0: () => show(whole.from, whole.to),
  ',': () => setMoment(moment - (shown.to - shown.from) / 100),
  '.': () => setMoment(moment + (shown.to - shown.from) / 100),
  n: () => hit(1), p: () => hit(-1),
  Enter: () => {
    if (chosen.node < 0) return;
    const late = run.late[chosen.node], why = run.why[late >= 0 ? late : chosen.node];
    if (late >= 0) choose(late, true); else if (why >= 0) choose(why, true);
  },
};

// ---- search ------------------------------------------------------------------

const LISTED = 200;
function search() {
  const words = $('q').value.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = $('span').value;
  const matches = new Map(); // by string: which of the words it contains
  const lower = run.strings.map(s => s.toLowerCase());
  chosen.hits = [];
  if (words.length || wanted)
    for (let i = 0; i < count; i++) {
      if (wanted && text(run.span[i]) !== wanted) continue;
      const key = run.name[i] + ' ' + run.site[i] + ' ' + run.span[i] + ' ' + run.rank[i];
      if (!matches.has(key)) {
        const all = lower[run.name[i]] + '\n' + lower[run.site[i]] + '\n' + lower[run.span[i]] + '\nrank' + run.rank[i];
        matches.set(key, words.every(w => all.includes(w)));
      }
      if (matches.get(key)) chosen.hits.push(i);
    }
  chosen.hit = words.length ? new Set(chosen.hits) : new Set();
  chosen.at = -1;
  const some = words.length || wanted;
  $('count').textContent = some ? chosen.hits.length + ' of ' + count + ' operations' :
    count + ' operations of ' + run.ranks + ' ranks on ' + run.machine +
    (setup > 0 ? '; 0 us is the first one on a GPU, after ' + us(setup) + ' us of set-up' : '');
  $('found-title').textContent = some ? 'Found' : 'Longest steps of the critical path';
  listHits();
  later();
}

const longestSteps = () => [...onPath].sort((a, b) => b[1] - a[1]).map(([node]) => node);

/* Without a search, list the longest steps of the critical path, by their time
 * on it. */
function listHits() {
  const onlyPath = !$('q').value && !$('span').value;
  const list = onlyPath ? longestSteps() : chosen.hits;
  $('found-time').textContent = onlyPath ? 'on the path, us' : 'took, us';
  $('found').tBodies[0].replaceChildren(...list.slice(0, LISTED).map(i =>
    element('tr', [element('td', goTo(i)), element('td', String(run.rank[i])), element('td', text(run.site[i])),
      element('td', us(start[i] - whole.from), 'n'), element('td', us(onlyPath ? onPath.get(i) : run.took[i]), 'n')])));
}

function hit(by) {
  if (!chosen.hits.length) return;
  chosen.at = (chosen.at + by + chosen.hits.length) % chosen.hits.length;
  choose(chosen.hits[chosen.at], true);
}

function spanChosen() {
  const wanted = $('span').value;
  const parts = named.filter(s => text(s.span) === wanted);
  if (parts.length)
    show(Math.min(...parts.map(s => s.begin)), Math.max(...parts.map(s => s.end)));
  else
    show(whole.from, whole.to);
  chooseSteps();
  search();
}

// ---- steps -------------------------------------------------------------------

let steps = null; // those of the chosen span, or of the first span that has any

function ranksOf(mask) {
  const list = [];
  for (let m = BigInt('0x' + mask), r = 0; m; m >>= 1n, r++) if (m & 1n) list.push(r);
  return list;
}

function chooseSteps() {
  const wanted = $('span').value;
  steps = run.steps.find(s => !wanted || text(s.span) === wanted) || null;
  $('steps-section').hidden = !steps;
  if (!steps) return;
  $('step').max = steps.steps - 1;
  $('step').value = 0;
  showStep();
}

function cell(at, before) {
  const ranks = ranksOf(at), td = element('td', steps.byRank ? (ranks.length ? '\u2713' : '') : ranks.length === run.ranks && run.ranks > 2 ? 'all' : ranks.join('+'));
  if (at !== before) td.classList.add('new');
  if (ranks.length === run.ranks || steps.byRank && ranks.length) td.classList.add('full');
  else if (ranks.length > 1) td.classList.add('part');
  return td;
}

function showStep() {
  const k = Number($('step').value), n = steps.pieces.length, size = run.ranks * n;
  const heads = steps.pieces.map(([rank, b, e], i) => {
    const th = element('th', steps.byRank ? rank + '.' + i : String(i));
    th.title = 'bytes ' + b + ' to ' + (e - 1);
    return th;
  });
  const lines = Array.from({ length: run.ranks }, (_, r) => {
    const cells = steps.pieces.map((_, p) => {
      const i = k * size + r * n + p;
      return cell(steps.masks[i], steps.masks[k ? i - size : i]);
    });
    return element('tr', [element('th', 'rank ' + r), ...cells]);
  });
  $('pieces').replaceChildren(element('tr', [element('th', 'piece'), ...heads]), ...lines);
  $('step-text').textContent = k + ' of ' + (steps.steps - 1) + ' in ' + text(steps.span) +
    (k ? ', at ' + us(steps.ends[k] - whole.from) + ' us' : ': before the first message');
}

function stepBy(by) {
  $('step').value = Number($('step').value) + by;
  showStep();
}

// ---- hazards -----------------------------------------------------------------

function listHazards() {
  const box = $('hazards');
  if (!run.hazards.length) box.append(element('p', 'None was found in this run.', 'dim'));
  for (const [report, a, b, warning] of run.hazards) {
    const sides = [a, b].filter(i => i >= 0).flatMap(i => [goTo(i), ' ' + text(run.site[i]) + ' ']);
    box.append(element('div', [element('p', [warning ? 'Warning: ' : '', ...sides]), element('pre', report)]));
  }
}

// ---- begin -------------------------------------------------------------------

/* Show only these parts of the page, for a picture of them. */
function keepOnly(parts) {
  for (const section of document.querySelectorAll('main > section'))
    if (!parts.includes(section.dataset.part)) section.hidden = true;
  document.querySelector('header').hidden = true;
  $('keys').hidden = true;
}

/* Of several spans show the first, which in a lab is the first case; without
 * them, everything. Choose the longest step of the critical path there. */
function openOnFirst() {
  const several = named.some(s => text(s.span) !== text(named[0].span));
  const parts = several ? named.filter(s => text(s.span) === text(named[0].span)) : [{ begin: whole.from, end: whole.to }];
  const from = Math.min(...parts.map(s => s.begin)), to = Math.max(...parts.map(s => s.end));
  const longest = longestSteps().find(i => start[i] >= from && end(i) <= to);
  if (several) show(from, to);
  if (longest !== undefined) choose(longest, false);
}

function begin() {
  readColours();
  layOut();
  for (const s of new Set(named.map(s => text(s.span)))) $('span').append(element('option', s));
  $('key').append(...MEANS.map((m, i) => {
    const square = element('i', []);
    square.style.background = 'var(--' + LOOKS[i] + ')';
    return element('span', [square, m]);
  }));
  pointers();
  $('tools').addEventListener('submit', e => { e.preventDefault(); hit(1); });
  $('q').addEventListener('input', search);
  $('span').addEventListener('change', spanChosen);
  $('critical').addEventListener('change', later);
  const does = {
    in: () => zoom(0.5), out: () => zoom(2), left: () => pan(-0.3), right: () => pan(0.3),
    fit: () => show(whole.from, whole.to), prev: () => hit(-1), next: () => hit(1),
  };
  for (const id of Object.keys(does)) $(id).addEventListener('click', does[id]);
  $('timeline').addEventListener('keydown', e => {
    if (keys[e.key] && !e.ctrlKey && !e.metaKey && !e.altKey) {
      e.preventDefault();
      keys[e.key](e);
    }
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { readColours(); later(); });
  new ResizeObserver(later).observe($('timeline'));
  $('step').addEventListener('input', showStep);
  $('step-back').addEventListener('click', () => stepBy(-1));
  $('step-on').addEventListener('click', () => stepBy(1));
  $('step-form').addEventListener('submit', e => e.preventDefault());
  beginMachine();
  listHazards();
  chooseSteps();
  // The address may say what to show first:
  // #q=ncclSend&span=ring+%230&hit=3&node=7&step=2&at=12.5&from=10&to=20&only=timeline,details
  const wish = new URLSearchParams(location.hash.slice(1));
  if (wish.has('q')) $('q').value = wish.get('q');
  if (wish.has('span')) $('span').value = wish.get('span');
  if (wish.has('span')) spanChosen(); else search();
  if (!location.hash) openOnFirst();
  if (steps && wish.has('step')) stepBy(Number(wish.get('step')));
  if (wish.has('only')) keepOnly(wish.get('only').split(','));
  if (wish.has('from') && wish.has('to'))
    show(whole.from + Number(wish.get('from')) * 1e6, whole.from + Number(wish.get('to')) * 1e6);
  if (wish.has('at')) moment = whole.from + Number(wish.get('at')) * 1e6;
  for (let k = Number(wish.get('hit')); k > 0; k--) hit(1);
  if (wish.has('node')) choose(Number(wish.get('node')), true);
  draw();
  drawLinks();
  drawMemory();
  drawMachine();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}
begin();
