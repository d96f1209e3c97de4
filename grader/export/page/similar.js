// Students with the same code: all pairs.
const rows = data.pairs.map((p, i) => el('tr', {},
    head({}, el('a', {href: `pair-${i + 1}.html`}, p.names.join(', '))),
    number(p.percent[0] + ' %'), number(p.percent[1] + ' %')));
show(el('h1', {}, 'Shared code'),
     el('p', {}, 'For staff. What the lab gave to all is not counted.'),
     table('Pairs, and how much of their own code they share',
           ['pair', '#first', '#second'], rows),
     el('h2', {}, 'Clusters'),
     el('ul', {}, data.clusters.map(c => el('li', {}, c.join(', ')))));
