import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { betweenMarks } from './between-marks.js';
import { plotOf } from './plot.js';

const docs = path.resolve(import.meta.dirname, '../../docs');

/** Writes the result of a whole run into docs/, as the linter wants it. */
export async function writeResults(result, tables) {
  const page = path.join(docs, 'performance.md');
  await writeNeatly(page, betweenMarks(await readFile(page, 'utf8'), tables));
  await writeNeatly(path.join(docs, 'performance.json'), JSON.stringify(rounded(result)));
  await writeFile(path.join(docs, 'performance.svg'), plotOf(result.outcomes));
}

async function writeNeatly(file, text) {
  await writeFile(file, await format(text, { ...(await resolveConfig(file)), filepath: file }));
}

/** Four digits are more than a measurement is worth. */
function rounded(value) {
  return JSON.parse(
    JSON.stringify(value, (name, part) => (typeof part === 'number' ? Number(part.toPrecision(4)) : part)),
  );
}
