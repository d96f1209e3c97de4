'use strict';
// The helpers of all pages. The data of a page is JSON in it; none of its text
// is parsed as HTML.
const data = JSON.parse(document.getElementById('data').textContent);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes))
    element.setAttribute(name, value);
  element.append(...children.flat().filter(c => c !== null));
  return element;
}
// el('p', {class: 'dim'}, 'text', other, null, [more, of, them])
function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}
function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', name),
              attributes, children);
}
function show(...children) {
  document.getElementById('main').append(...children.flat());
}

// Points, without a needless ".00".
function points(p) {
  const cents = Math.sign(p) * Math.round(Math.abs(p) * 100);
  return cents % 100 ? (cents / 100).toFixed(2) : String(cents / 100);
}
function time(us) {
  return us === null ? '' : us.toFixed(2) + ' us';
}
function outcome(name) {
  return el('span', {class: 'o ' + name}, name);
}
function tile(number, what) {
  return el('div', {}, el('b', {}, String(number)), what);
}

// A column whose name begins with # is of numbers; rows are <tr>.
function table(caption, columns, rows, attributes = {}) {
  const heads = columns.map(c => el('th', c[0] === '#' ?
      {scope: 'col', class: 'n'} : {scope: 'col'}, c.replace('#', '')));
  return el('table', attributes, el('caption', {}, caption),
            el('thead', {}, el('tr', {}, heads)), el('tbody', {}, rows));
}
function head(attributes, ...children) {
  return el('th', {scope: 'row', ...attributes}, ...children);
}
function number(text, attributes = {}) {
  return el('td', {class: 'n', ...attributes}, String(text));
}

// How many pass, have some points, fail, and were not written.
const parts = ['pass', 'partial', 'fail', 'not written'];
function bar(count) {
  const total = count.reduce((sum, n) => sum + n, 0);
  let x = 0;
  return svg('svg', {class: 'bar', viewBox: '0 0 100 10',
      preserveAspectRatio: 'none', role: 'img',
      'aria-label': count.map((n, i) => n + ' ' + parts[i]).join(', ')},
      count.map((n, i) => {
        const width = total ? 100 * n / total : 0;
        x += width;
        return n ? svg('rect', {class: 'p' + i, x: x - width, width, height: 10},
                       svg('title', {}, n + ' ' + parts[i])) : null;
      }));
}

// How many students have how many points.
function histogram(count, max) {
  const width = 600, height = 120, top = 14, step = width / count.length;
  const most = Math.max(1, ...count), bottom = top + height;
  const bars = count.map((n, i) => n ? [
    svg('rect', {class: 'p0', x: i * step + 1, y: bottom - height * n / most,
                 width: step - 2, height: height * n / most}),
    svg('text', {x: (i + .5) * step, y: bottom - 4 - height * n / most,
                 'text-anchor': 'middle'}, String(n))] : []);
  const ticks = [0, 1, 2, 3, 4].map(i => svg('text', {x: i * width / 4,
      y: bottom + 16, 'text-anchor': ['start', , , , 'end'][i] || 'middle'},
      String(max * i / 4)));
  return svg('svg', {class: 'scores', viewBox: `0 0 ${width} ${bottom + 20}`,
      width, role: 'img',
      'aria-label': 'how many students have how many points'},
      bars.flat(), svg('path', {class: 'axis', d: `M0 ${bottom}H${width}`}),
      ticks);
}
