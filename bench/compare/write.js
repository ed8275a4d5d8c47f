import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { betweenMarks } from '../support/figures.js';

const page = path.resolve(import.meta.dirname, '../../docs/performance.md');

/** Writes the tables of a whole run into docs/performance.md. */
export async function writeResults(tables) {
  const text = betweenMarks(await readFile(page, 'utf8'), tables);
  await writeFile(page, await format(text, { ...(await resolveConfig(page)), filepath: page }));
}
