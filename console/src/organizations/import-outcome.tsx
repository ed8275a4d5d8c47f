import { Button, Stack, Text } from '@mantine/core';
import { download } from '../components/csv';
import { toWords } from '../components/facts';
import { type Column, DataTable } from '../components/list';
import { formatNumber } from '../components/number';
import type { ImportResult, Outcome } from './import-worker';

export const countsInWords = ({ counts }: ImportResult): string =>
  `${Object.entries(counts)
    .map(([result, count]) => `${formatNumber(count)} ${result}`)
    .join(', ')}.`;

const columns: Column<Outcome>[] = [
  ['Row', ({ label }) => <span className="break">{label}</span>],
  ['Line', ({ row }) => row.line, 'nowrap'],
  ['Result', ({ result }) => toWords(result), 'nowrap'],
  ['Remarks', ({ messages }) => <span className="break">{messages.join('; ')}</span>],
];

/** What happened to the rows, of which those that failed can be downloaded. */
export function ImportOutcome({ result, name }: { result: ImportResult; name: string }) {
  const { counts, notes, remarks, failed } = result;
  // A byte order mark, by which Excel recognizes UTF-8. Cells stay as they are, because the file is imported again.
  const save = () => download(`failed-${name.replace(/\.\w+$/, '')}.csv`, 'text/csv', `\uFEFF${failed}`);
  return (
    <Stack align="flex-start">
      {notes.map((note) => (
        <Text key={note} size="sm">
          {note}
        </Text>
      ))}
      {remarks.length > 0 && (
        <div style={{ width: '100%' }}>
          <DataTable
            label="Rows with remarks"
            columns={columns}
            rows={remarks}
            rowKey={({ row }) => String(row.line)}
          />
        </div>
      )}
      {counts.failed !== undefined && (
        <Button variant="default" onClick={save}>
          Download failed rows
        </Button>
      )}
    </Stack>
  );
}
