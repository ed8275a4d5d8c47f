import { writeFormatted, writeSection } from '../support/performance-page.js';

/** Writes the figures to bench/growth.json and the tables to docs/performance.md. */
export async function publish(tables, figures) {
  await writeFormatted('bench/growth.json', JSON.stringify(figures, rounded));
  await writeSection('growth', tables, 'bench/README.md');
}

/** Rounds to the precision of the measurement. */
function rounded(_name, value) {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
}
