import { Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { formatNumber } from './number';
import { Failure } from './ui';

type Cell = string | number | undefined;

/** More rows take a minute; a shorter period gets the others. */
const maxRows = 10_000;

/** Quotes a cell, and keeps spreadsheets from running it as a formula. */
function toCell(value: Cell = ''): string {
  const text = typeof value === 'string' ? value.replace(/^[=+\-@\t\r]/, "'$&") : String(value);
  return `"${text.replaceAll('"', '""')}"`;
}

/** Downloads a text as a file. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

export type CsvColumn<Row> = readonly [header: string, cell: (row: Row) => Cell];

interface CsvButtonProps<Row> {
  /** The name of the file, without the extension. */
  name: string;
  columns: readonly CsvColumn<Row>[];
  read: () => AsyncIterable<Row>;
}

/** Downloads a list as a CSV file. */
export function CsvButton<Row>({ name, columns, read }: CsvButtonProps<Row>) {
  const { mutate, data, error, isPending } = useMutation({
    meta: { isRead: true },
    mutationFn: async () => {
      const rows: Cell[][] = [];
      for await (const row of read()) {
        rows.push(columns.map(([, cell]) => cell(row)));
        if (rows.length >= maxRows) break;
      }
      const lines = [columns.map(([header]) => header), ...rows].map((row) => row.map(toCell).join(','));
      // A byte order mark, by which Excel recognizes UTF-8.
      download(`${name}.csv`, 'text/csv', `\uFEFF${lines.join('\r\n')}\r\n`);
      return rows.length;
    },
  });
  return (
    <>
      <Button variant="default" loading={isPending} onClick={() => mutate()}>
        Download CSV
      </Button>
      {error && <Failure error={error} />}
      {data !== undefined && data >= maxRows && (
        <Text role="status" size="sm">
          The file ends after {formatNumber(data)} rows. Choose a shorter period for the others.
        </Text>
      )}
    </>
  );
}
