// A student's page: what became of each case, and what changed.
function caseRow(c) {
  return el('tr', {}, number(c.part ?? ''),
      head({class: 'c'}, el('b', {}, c.name)),
      el('td', {}, outcome(c.outcome)),
      number(points(c.score) + '/' + points(c.max)), number(time(c.time_us)),
      el('td', {class: 't'},
         c.message === null ? null : el('pre', {}, c.message),
         c.rerun === null ? null : el('code', {}, c.rerun)));
}
function changed(c) {
  return el('li', {}, el('b', {}, c.name),
      `: ${points(c.was.score)} \u2192 ${points(c.now.score)} points, `,
      outcome(c.was.outcome), ' \u2192 ', outcome(c.now.outcome));
}
function since(b) {
  return [el('h2', {}, 'Since attempt ' + b.number),
      el('p', {}, `${points(b.was)} \u2192 ${points(b.now)} points before ` +
                  'lateness.',
         b.diff ? [' ', el('a', {href: data.key + '.diff.html'},
                           'What changed in the files')] : null),
      b.cases.length ? el('ul', {}, b.cases.map(changed))
                     : el('p', {}, 'No visible case has other points.')];
}
function timeline() {
  const file = data.key + '.svg';
  return [el('h2', {}, 'Timeline'),
      el('p', {class: 'dim'}, 'What ran when, on the modelled machine, in one ' +
         'iteration of a case. A click shows it alone.'),
      data.view ? el('p', {}, el('a', {href: data.key + '.view.html'},
                                 'Look closer'),
         ': what each operation waited for, which links were busy, who held ' +
         'which piece.') : null,
      el('p', {class: 'wide'}, el('a', {href: file},
         el('img', {src: file, alt: 'what ran when'})))].filter(Boolean);
}

show(el('h1', {}, data.title),
     el('p', {}, data.name, data.attempt ? [' ', el('span', {class: 'dim'},
        'attempt ' + data.attempt)] : null),
     el('div', {class: 'tiles'}, el('div', {}, el('b', {},
        data.final === null ? 'no score' :
            points(data.final) + ' / ' + points(data.max)),
        outcome(data.outcome))),
     el('p', {}, data.feedback));
if (data.late)
  show(el('p', {}, points(data.late.score) + ' points before lateness, which ' +
          `takes ${data.late.percent} % a day.`));
if (data.before)
  show(since(data.before));
if (data.cases.length)
  show(el('h2', {}, 'Cases'),
       table('What was tried, and what became of it',
             ['#part', 'case', 'verdict', '#points', '#time',
              'why, and how to run it again'],
             data.cases.map(caseRow), {class: 'cards'}));
if (data.worklog)
  show(el('h2', {id: 'worklog'}, 'Work log'), el('pre', {}, data.worklog));
if (data.timeline)
  show(timeline());
