/** Returns a quantile of sorted values. */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Returns the median. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}

/** Formats a table as Markdown. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Replaces the text between the marks of a section, such as `bench`. */
export function betweenMarks(text, section, content) {
  const marks = [`<!-- ${section}:begin -->`, `<!-- ${section}:end -->`];
  const [begin, end] = marks.map((mark) => text.indexOf(mark));
  if (begin === -1 || end < begin) throw new Error(`The marks ${marks.join(' and ')} are missing`);
  return `${text.slice(0, begin + marks[0].length)}\n\n${content}\n\n${text.slice(end)}`;
}
