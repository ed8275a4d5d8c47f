const { mkdtempSync, readFileSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');

const columns = [
  'fault',
  'sent',
  'acknowledged',
  'rejected',
  'cut',
  'lost',
  'duplicated',
  'applied though rejected',
  'longest wait',
  'recovery',
];

/** Prints a table of the figures of each fault at the end of a run. */
module.exports = class FiguresReporter {
  constructor() {
    this.folder = mkdtempSync(path.join(tmpdir(), 'fault-figures-'));
    // Tests inherit the environment of this process.
    process.env.FAULT_FIGURES = path.join(this.folder, 'figures.jsonl');
  }

  onRunComplete() {
    const lines = this.lines();
    rmSync(this.folder, { recursive: true, force: true });
    if (lines.length === 0) return;
    const rows = [columns, ...lines.map(rowOf)];
    const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column].length)));
    const text = rows.map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
        .join('  '),
    );
    process.stdout.write(`\nRequests under faults (times in milliseconds)\n${text.join('\n')}\n`);
  }

  lines() {
    try {
      const text = readFileSync(process.env.FAULT_FIGURES, 'utf8').trim();
      return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line));
    } catch (error) {
      if (error.code === 'ENOENT') return [];
      throw error;
    }
  }
};

function rowOf({ recovery, ...rest }) {
  const { fault, sent, acknowledged, rejected, cut, lost, duplicated, appliedThoughRejected, longestWait } = rest;
  const counts = [sent, acknowledged, rejected, cut, lost, duplicated, appliedThoughRejected];
  return [fault, ...counts, longestWait, recovery ?? 'never'].map(String);
}
