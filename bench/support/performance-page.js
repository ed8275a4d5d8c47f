import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { betweenMarks } from './figures.js';

const docs = path.resolve(import.meta.dirname, '../../docs');

/** Replaces a section of docs/performance.md, such as `bench`. */
export async function writeSection(section, tables) {
  const page = path.join(docs, 'performance.md');
  await writeFormatted('performance.md', betweenMarks(await readFile(page, 'utf8'), section, tables));
}

/** Writes a file to docs/, formatted by Prettier. */
export async function writeFormatted(name, text) {
  const file = path.join(docs, name);
  await writeFile(file, await format(text, { ...(await resolveConfig(file)), filepath: file }));
}
