// What a student changed in the files since the attempt before.
function kind(line) {
  if (/^(\+\+\+|---|@)/.test(line))
    return 'at';
  return line[0] === '+' ? 'add' : line[0] === '-' ? 'del' : '';
}
show(el('h1', {}, data.title),
     el('p', {}, el('a', {href: data.key + '.html'}, data.key),
        `: attempt ${data.attempt} against attempt ${data.before}`),
     el('pre', {tabindex: 0, 'aria-label': 'difference'},
        data.lines.length ? data.lines.map(line =>
            [el('span', {class: kind(line)}, line), '\n']).flat()
                          : 'the same bytes'));
