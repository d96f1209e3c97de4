/*
 * The machine: its links, coloured by their use at a moment or over the time
 * `shown`, and the same as a table. An operation's work is spread evenly over
 * its time.
 */

let moment = whole.from; // ps

/* Where to start: the middle of the longest operation that uses a link. */
function longestTransfer() {
  let best = -1;
  for (let i = 0; i < count; i++)
    if ((best < 0 || run.took[i] > run.took[best]) && run.uses[run.use[i]].some(([r]) => isLink(run.resources[r][0])))
      best = i;
  return best < 0 ? whole.from : start[best] + run.took[best] / 2;
}

/* By link: the bytes that it carries from `from` to `to`. */
function bytesBetween(from, to) {
  const bytes = new Map();
  for (let i = 0; i < count; i++) {
    const pairs = run.uses[run.use[i]];
    if (!pairs.length || !run.took[i]) continue;
    const part = (Math.min(end(i), to) - Math.max(start[i], from)) / run.took[i];
    if (part <= 0) continue;
    for (const [resource, amount] of pairs)
      if (isLink(run.resources[resource][0]))
        bytes.set(resource, (bytes.get(resource) || 0) + amount * part);
  }
  return bytes;
}

/* The share of a link's rate that these bytes take in this time. */
const shareOf = (resource, bytes, ps) => bytes ? Math.min(1, bytes / (run.resources[resource][1] * ps * 1e-12)) : 0;
const percent = share => share > 0 && share < 0.005 ? '< 1 %' : Math.round(100 * share) + ' %';
/* 0: idle, 1 to 4: quarters. These are the numbers of the classes in
 * view.css. */
const levelOf = share => share > 0 ? 1 + Math.min(3, Math.floor(share * 4)) : 0;

const SVG = 'http://www.w3.org/2000/svg';
function shape(tag, attributes, ...content) {
  const e = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  e.append(...content);
  return e;
}

const BOXES = ['gpu', 'switch', 'cpu', 'nic', 'port'];
const wires = []; // [resource, its line, the line's title]

function wire([resource, ...at]) {
  const name = shape('title', {});
  const line = shape('polyline', { points: at.join(' ') }, name);
  wires.push([resource, line, name]);
  return line;
}

/* Lines are drawn under the boxes, except those of memory, which is
 * inside its CPU. */
function machinePanel([title, height, boxes, links]) {
  const svg = shape('svg', { viewBox: '0 0 360 ' + height, 'aria-hidden': 'true' });
  const inside = l => run.resources[l[0]][0].startsWith('host');
  svg.append(...links.filter(l => !inside(l)).map(wire));
  for (const [kind, x, y, width, tall, label] of boxes)
    svg.append(shape('rect', { x, y, width, height: tall, rx: 3, class: BOXES[kind] }),
      shape('text', { x: x + width / 2, y: y + tall / 2 }, label));
  svg.append(...links.filter(inside).map(wire));
  return element('figure', [element('figcaption', title), svg]);
}

/* Colour the links, and list those that are used in the time shown. */
function drawMachine() {
  const length = shown.to - shown.from;
  moment = Math.max(shown.from, Math.min(moment, shown.to));
  // The shortest time that a person can point at.
  const brief = Math.max(1, length / 1000), from = Math.min(moment, shown.to - brief);
  const mean = bytesBetween(shown.from, shown.to), now = bytesBetween(from, from + brief);
  const meanOf = r => shareOf(r, mean.get(r), length), nowOf = r => shareOf(r, now.get(r), brief);
  const wanted = $('use-now').checked ? nowOf : meanOf;
  for (const [resource, line, name] of wires) {
    line.setAttribute('class', 'use' + levelOf(wanted(resource)));
    name.textContent = run.resources[resource][0] + ': ' + percent(wanted(resource));
  }
  const used = [...mean.keys()].sort((a, b) => wanted(b) - wanted(a) || mean.get(b) - mean.get(a) || a - b);
  $('use').tBodies[0].replaceChildren(...used.map(r => element('tr', [element('td', run.resources[r][0]),
    element('td', bytesText(mean.get(r)), 'n'), element('td', percent(meanOf(r)), 'n'),
    element('td', percent(nowOf(r)), 'n')])));
  $('moment').value = Math.round((moment - shown.from) / length * 1000);
  $('moment').setAttribute('aria-valuetext', us(moment - whole.from) + ' us');
  const busy = [...now.keys()].sort((a, b) => nowOf(b) - nowOf(a) || a - b);
  $('moment-text').textContent = us(moment - whole.from) + ' us: ' + (busy.length ?
    busy.length + (busy.length > 1 ? ' links in use, ' : ' link in use, ') + run.resources[busy[0]][0] + ' most, ' + percent(nowOf(busy[0])) :
    'no link in use');
}

function setMoment(ps) {
  moment = ps;
  drawMachine();
  later();
}

function beginMachine() {
  moment = longestTransfer();
  $('machine').append(...run.drawing.map(machinePanel));
  $('moment').addEventListener('input', () =>
    setMoment(shown.from + (shown.to - shown.from) * Number($('moment').value) / 1000));
  for (const id of ['use-now', 'use-mean']) $(id).addEventListener('change', drawMachine);
  $('moment-form').addEventListener('submit', e => e.preventDefault());
}
