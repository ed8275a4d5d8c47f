import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { betweenMarks } from './figures.js';

const root = path.resolve(import.meta.dirname, '../..');
const page = path.join(root, 'docs/performance.md');

/** Replaces a section of docs/performance.md, such as `bench`. */
export async function writeSection(section, tables) {
  await writeFormatted(page, betweenMarks(await readFile(page, 'utf8'), section, tables));
}

/** Writes a file, whose path begins at the root of the repository, formatted by Prettier. */
export async function writeFormatted(name, text) {
  const file = path.resolve(root, name);
  await writeFile(file, await format(text, { ...(await resolveConfig(file)), filepath: file }));
}
