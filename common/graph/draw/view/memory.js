/* Memory: what is allocated on each GPU, over the time `shown`. */

/* By GPU: the times at which its allocated bytes change, and the
 * bytes from then on. */
const memory = run.memory.map(([gpu, capacity, list]) => {
  const at = [], held = [];
  let total = 0;
  for (let k = 0; k < list.length; k += 2) {
    total += list[k + 1];
    if (at[at.length - 1] === list[k]) held[at.length - 1] = total;
    else { at.push(list[k]); held.push(total); }
  }
  return { gpu, capacity, at, held };
});

/* The most that is allocated at any time from `from` to `to`. */
function peakOf(m, from, to) {
  let most = 0;
  m.at.forEach((at, k) => {
    const until = k + 1 < m.at.length ? m.at[k + 1] : Infinity;
    if (at <= to && until > from) most = Math.max(most, m.held[k]);
  });
  return most;
}

const MEMORY_ROW = 36;
function drawMemory() {
  const { c, width, height } = context($('memory'), Math.max(30, memory.length * MEMORY_ROW + 4));
  const left = labelWidth(), peaks = memory.map(m => peakOf(m, shown.from, shown.to));
  const scale = (MEMORY_ROW - 6) / Math.max(1, ...peaks);
  c.fillStyle = colour.paper;
  c.fillRect(0, 0, width, height);
  memory.forEach((m, row) => {
    const bottom = (row + 1) * MEMORY_ROW - 2;
    c.fillStyle = colour.soft;
    c.fillRect(left, bottom - MEMORY_ROW + 6, width - left, MEMORY_ROW - 6);
    c.fillStyle = colour.compute;
    m.at.forEach((at, k) => {
      const until = k + 1 < m.at.length ? m.at[k + 1] : shown.to;
      const x = Math.max(left, xOf(at, width)), to = Math.min(width, xOf(until, width));
      if (to > x) c.fillRect(x, bottom - m.held[k] * scale, to - x, m.held[k] * scale);
    });
    c.fillStyle = colour.ink;
    c.fillText('G' + m.gpu, 4, bottom - 22);
    c.fillStyle = colour.dim;
    c.fillText(fitText(c, bytesText(peaks[row]), left - 8), 4, bottom - 7);
  });
  if (!memory.length) {
    c.fillStyle = colour.dim;
    c.fillText('no memory of a GPU is allocated in this run', 4, 15);
  }
  $('memory').setAttribute('aria-label', 'Peak of allocated memory: ' +
    (memory.map((m, i) => 'G' + m.gpu + ' ' + bytesText(peaks[i]) + ' of ' + bytesText(m.capacity)).join(', ') || 'none'));
}
