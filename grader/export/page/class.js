// The class, for staff. The table of students can be searched and sorted; the
// address may say how: #q=ada&section=A&outcome=fail&sort=5.

// ---- tables ------------------------------------------------------------------
function tiles() {
  const of = (p, what) => tile(points(p) + ' / ' + points(data.max), what);
  return el('div', {class: 'tiles'},
      data.outcomes.filter(o => o.students || o.always)
          .map(o => el('div', {}, el('b', {}, String(o.students)),
                       outcome(o.name))),
      of(data.all.median, 'median of ' + data.all.students),
      of(data.all.mean, 'mean'));
}
function sections() {
  if (!data.sections.length)
    return [];
  return [el('h2', {id: 'sections'}, 'Sections'),
      table('Of those with a score',
            ['section', '#students', '#median', '#mean'],
            data.sections.map(s => el('tr', {}, head({}, s.name),
                number(s.students), number(points(s.median)),
                number(points(s.mean)))))];
}
function studentRow(s) {
  const at = 'students/' + s.key;
  const hidden = {class: 'n hide'};
  return el('tr', {'data-section': s.section, 'data-outcome': s.outcome},
      head({}, el('a', {href: at + '.html'}, s.name || s.key),
           s.name ? [' ', el('span', {class: 'dim'}, s.key)] : null),
      el('td', {class: 'hide'}, s.section), el('td', {}, outcome(s.outcome)),
      number(s.attempt, hidden),
      number(s.days_late ? s.days_late + ' d' : '',
             {...hidden, 'data-v': s.days_late}),
      number(s.final === null ? '' : points(s.final),
             {'data-v': s.final ?? -1}),
      el('td', {class: 'hide'},
         s.timeline ? [el('a', {href: at + '.svg'}, 'timeline'), ' '] : null,
         s.diff ? el('a', {href: at + '.diff.html'}, 'diff') : null));
}
function students() {
  const t = table("Each student's page has the diagnoses",
      ['student', 'section', 'outcome', '#attempt', '#late', '#points', 'more'],
      data.students.map(studentRow), {id: 'students'});
  for (const i of [1, 3, 4, 6])
    t.tHead.rows[0].cells[i].classList.add('hide');
  return t;
}
function cases() {
  const rate = n => Math.round(100 * n[0] / (n[0] + n[1] + n[2] + n[3] || 1));
  return [el('h2', {id: 'cases'}, 'Cases'),
      el('p', {class: 'key dim'}, parts.map((what, i) =>
          [el('i', {class: 'p' + i}), what]).flat()),
      table('How many pass, of those whose case was judged',
            ['case', '#points', '#pass', '#rate', 'class'],
            data.cases.map(c => el('tr', {},
                head({class: 'c'}, c.name, c.hidden ?
                    [' ', el('span', {class: 'dim'}, 'hidden')] : null),
                number(points(c.max)), number(c.count[0]),
                number(rate(c.count) + ' %'),
                el('td', {}, bar(c.count)))))];
}
function reasons() {
  return [el('h2', {id: 'reasons'}, 'Why there are no points'),
      table('Of cases without any; N stands for numbers',
            ['reason', '#students', '#cases'],
            data.reasons.map(r => el('tr', {}, head({}, r.text),
                number(r.students), number(r.cases))))];
}

// What a person grades: each student's sentences next to what they must name.
function words() {
  const w = data.words;
  if (!w)
    return [];
  const predicted = s => s.state === 'made' ? points(s.predicted) :
      s.state === 'changed' ? 'changed later' : '';
  return [el('h2', {id: 'words'}, 'In words'),
      el('p', {}, w.question),
      el('p', {}, 'A point for the cause: ', el('em', {}, w.cause),
         '. A point for the consequence: ', el('em', {}, w.consequence), '.'),
      el('p', {class: 'dim'}, 'Predicted before the code: ' + w.asked),
      el('div', {class: 'wide'}, table('Not in the points above',
            ['student', 'answer', '#predicted', '#measured', 'work log'],
            w.students.map(s => el('tr', {}, head({}, s.name || s.key),
                el('td', {class: 'say'}, s.text),
                number(predicted(s), {title: s.when}),
                number(s.found === null ? '' : points(s.found)),
                el('td', {}, s.worklog ? el('a', {href:
                   `students/${s.key}.html#worklog`}, 'read') : null)))))];
}

// ---- search ------------------------------------------------------------------
function choice(id, label, values) {
  return el('div', {}, el('label', {for: id}, label),
      el('select', {id}, el('option', {value: ''}, 'all'),
         values.map(v => el('option', {value: v}, v))));
}
const find = el('form', {id: 'find', role: 'search'},
    el('div', {}, el('label', {for: 'q'}, 'Search'),
       el('input', {id: 'q', type: 'search', autocomplete: 'off'})),
    choice('section', 'Section', data.sections.map(s => s.name)),
    choice('outcome', 'Outcome', data.outcomes.map(o => o.name)),
    el('p', {id: 'count', role: 'status'}));
const list = students();

// Hide the rows that lack the words, or are of another section or outcome.
function search() {
  const words = find.q.value.toLowerCase().split(/\s+/);
  const rows = [...list.tBodies[0].rows];
  for (const r of rows) {
    const text = r.textContent.toLowerCase();
    r.hidden = !words.every(w => text.includes(w)) ||
        find.section.value && r.dataset.section !== find.section.value ||
        find.outcome.value && r.dataset.outcome !== find.outcome.value;
  }
  find.querySelector('#count').textContent =
      `${rows.filter(r => !r.hidden).length} of ${rows.length} students`;
}
// By data-v, or by the cell's text; the other way round when asked again.
function sort(column) {
  const cells = [...list.tHead.rows[0].cells], body = list.tBodies[0];
  const up = cells[column].getAttribute('aria-sort') !== 'ascending';
  for (const c of cells)
    c.removeAttribute('aria-sort');
  cells[column].setAttribute('aria-sort', up ? 'ascending' : 'descending');
  const value = r => r.cells[column].dataset.v ?? r.cells[column].textContent;
  const order = cells[column].classList.contains('n') ?
      (x, y) => value(x) - value(y) :
      (x, y) => value(x).localeCompare(value(y));
  body.append(...[...body.rows].sort((x, y) => up ? order(x, y) : order(y, x)));
}

// ---- all of it ---------------------------------------------------------------
const separator = ' \u00b7 ';
show(el('h1', {}, data.title),
     el('p', {class: 'dim'}, `${data.lab}, ${data.students.length} students. ` +
        'For staff: this page names hidden cases.'));
if (data.plans > 1)
  show(el('p', {}, el('mark', {},
          `These grades mix ${data.plans} versions of the plan`), ': ',
          el('code', {}, 'grade regrade'), ' makes them one.'));
show(el('nav', {'aria-label': 'page'},
        el('a', {href: '#class'}, 'students'), separator,
        el('a', {href: '#cases'}, 'cases'), separator,
        el('a', {href: '#reasons'}, 'why there are no points'),
        data.words ? [separator, el('a', {href: '#words'}, 'in words')] : null),
     tiles(), histogram(data.scores, data.max), sections(),
     el('h2', {id: 'class'}, 'Students'), find, list, cases(), reasons(),
     words());
find.addEventListener('input', search);
find.addEventListener('submit', e => e.preventDefault());
[...list.tHead.rows[0].cells].forEach((cell, i) => {
  const button = el('button', {type: 'button'}, cell.textContent);
  button.addEventListener('click', () => sort(i));
  cell.replaceChildren(button);
});
const asked = new URLSearchParams(location.hash.slice(1));
for (const id of ['q', 'section', 'outcome'])
  find.elements[id].value = asked.get(id) || '';
if (asked.has('sort'))
  sort(Number(asked.get('sort')));
search();
