const marks = ['<!-- bench:begin -->', '<!-- bench:end -->'];

/** A text with what stands between the marks replaced. */
export function betweenMarks(text, content) {
  const [begin, end] = marks.map((mark) => text.indexOf(mark));
  if (begin === -1 || end < begin) throw new Error(`The marks ${marks.join(' and ')} are missing`);
  return `${text.slice(0, begin + marks[0].length)}\n\n${content}\n\n${text.slice(end)}`;
}
