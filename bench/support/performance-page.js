import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { betweenMarks } from './figures.js';

const root = path.resolve(import.meta.dirname, '../..');

/** Replaces a section of a page, such as `bench` of docs/performance.md. */
export async function writeSection(section, tables, page = 'docs/performance.md') {
  const text = await readFile(path.join(root, page), 'utf8');
  await writeFormatted(page, betweenMarks(text, section, tables));
}

/** Writes a file, whose path begins at the root of the repository, formatted by Prettier. */
export async function writeFormatted(name, text) {
  const file = path.resolve(root, name);
  await writeFile(file, await format(text, { ...(await resolveConfig(file)), filepath: file }));
}
