import { writeFormatted, writeSection } from '../support/performance-page.js';

/** Writes the figures into docs/growth.json, and the tables into docs/performance.md. */
export async function publish(tables, figures) {
  await writeFormatted('growth.json', JSON.stringify(figures, rounded));
  await writeSection('growth', tables);
}

/** Four digits are more than a measurement is worth. */
function rounded(_name, value) {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
}
