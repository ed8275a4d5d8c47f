import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';

const docs = path.resolve(import.meta.dirname, '../../docs');
const marked = /(<!-- growth -->)[\s\S]*(<!-- \/growth -->)/;

/** Writes the figures into docs/, and the tables between the marks of the page, where the page and its marks are there. */
export async function publish(tables, figures) {
  await writeNeatly(path.join(docs, 'growth.json'), JSON.stringify(figures, rounded));
  const page = path.join(docs, 'performance.md');
  const written = await readFile(page, 'utf8').catch(() => '');
  if (!marked.test(written)) return;
  await writeNeatly(
    page,
    written.replace(marked, (_all, begin, end) => `${begin}\n\n${tables}\n\n${end}`),
  );
}

async function writeNeatly(file, text) {
  await writeFile(file, await format(text, { ...(await resolveConfig(file)), filepath: file }));
}

/** Four digits are more than a measurement is worth. */
function rounded(_name, value) {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
}
