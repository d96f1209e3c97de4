// How far a batch is, and the leaderboard.
const counts = [[data.pass, 'full marks'], [data.fail, 'some points missing'],
                [data.open, 'not final'], [data.excused, 'excused'],
                [data.running, 'running now']];
show(el('h1', {}, data.title), el('h2', {}, 'Grading'),
     el('p', {role: 'status'}, `${data.graded} of ${data.students} students`),
     el('progress', {max: data.students, value: data.graded,
                     'aria-label': 'students graded'}),
     el('div', {class: 'tiles'}, counts
         .filter(([n, what]) => n || what !== 'excused')
         .map(([n, what]) => tile(n, what))),
     histogram(data.scores, data.max),
     el('h2', {}, 'Leaderboard'),
     table('By points, then by the modelled times of the timed cases. Names ' +
           'are pseudonyms', ['#rank', 'name', '#points', '#time'],
           data.places.map(p => el('tr', {}, number(p.place),
               head({class: 'w'}, p.name), number(points(p.score)),
               number(time(p.time_us))))));
