import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { contenders } from './contenders.js';
import { plotOf } from './plot.js';

const docs = path.resolve(import.meta.dirname, '../../docs');
const marks = ['<!-- bench:begin -->', '<!-- bench:end -->'];

/** A text with what stands between the marks replaced. */
export function betweenMarks(text, content) {
  const [begin, end] = marks.map((mark) => text.indexOf(mark));
  if (begin === -1 || end < begin) throw new Error(`The marks ${marks.join(' and ')} are missing`);
  return `${text.slice(0, begin + marks[0].length)}\n\n${content}\n\n${text.slice(end)}`;
}

/** Writes the result of a whole run into docs/. */
export async function writeResults(result, tables) {
  const page = path.join(docs, 'performance.md');
  const labels = Object.fromEntries(Object.entries(contenders).map(([name, { label }]) => [name, label]));
  await writeFile(path.join(docs, 'performance.json'), `${JSON.stringify(rounded(result), null, 2)}\n`);
  await writeFile(path.join(docs, 'performance.svg'), plotOf(result.outcomes, labels));
  await writeFile(page, betweenMarks(await readFile(page, 'utf8'), tables));
}

/** Four digits are more than a measurement is worth. */
function rounded(value) {
  return JSON.parse(
    JSON.stringify(value, (name, part) => (typeof part === 'number' ? Number(part.toPrecision(4)) : part)),
  );
}
