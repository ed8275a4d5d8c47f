const { mkdtempSync, readFileSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');

/** The columns of each table, and the fields of a line in their order. */
const tables = [
  {
    title: 'Requests under faults (times in milliseconds)',
    columns: {
      fault: 'fault',
      sent: 'sent',
      acknowledged: 'acknowledged',
      rejected: 'rejected',
      cut: 'cut',
      lost: 'lost',
      duplicated: 'duplicated',
      appliedThoughRejected: 'applied though rejected',
      longestWait: 'longest wait',
      recovery: 'recovery',
    },
  },
  {
    title: 'Webhooks under faults (times in milliseconds)',
    columns: {
      fault: 'fault',
      events: 'events',
      delivered: 'delivered',
      duplicates: 'duplicates',
      longestDelay: 'longest delay',
    },
  },
];

/** Prints the tables of the figures of each fault at the end of a run. */
module.exports = class FiguresReporter {
  constructor() {
    this.folder = mkdtempSync(path.join(tmpdir(), 'fault-figures-'));
    // Tests inherit the environment of this process.
    process.env.FAULT_FIGURES = path.join(this.folder, 'figures.jsonl');
  }

  onRunComplete() {
    const lines = this.lines();
    rmSync(this.folder, { recursive: true, force: true });
    for (const { title, columns } of tables) {
      const ofTable = lines.filter((line) => Object.keys(columns)[1] in line);
      if (ofTable.length > 0) process.stdout.write(`\n${title}\n${textOf(columns, ofTable)}\n`);
    }
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

function textOf(columns, lines) {
  const values = lines.map((line) => Object.keys(columns).map((field) => String(line[field] ?? 'never')));
  const rows = [Object.values(columns), ...values];
  const widths = Object.keys(columns).map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const pad = (cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]));
  return rows.map((row) => row.map(pad).join('  ')).join('\n');
}
