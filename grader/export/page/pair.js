// Two students' code side by side; the lines that both have are marked.
function side(s) {
  const shared = new Set(s.shared);
  return el('section', {}, el('h2', {}, s.name),
      el('pre', {tabindex: 0}, s.lines.map((line, i) =>
          [el('span', {class: 'at'}, String(i + 1).padStart(4) + ' '),
           shared.has(i + 1) ? el('mark', {}, line) : line, '\n']).flat()));
}
show(el('h1', {}, data.sides.map(s => s.name).join(', ')),
     el('p', {}, `${data.percent[0]} % and ${data.percent[1]} % of their own ` +
        'code; marked lines are in both. ',
        el('a', {href: 'index.html'}, 'All pairs')),
     el('div', {class: 'two'}, data.sides.map(side)));
