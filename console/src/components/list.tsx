import { Button, Group, Skeleton, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { texts } from '../texts';
import { Failure, type RowAction, RowActions } from './ui';

export const pageSize = 20;

export type Column<Row> = readonly [header: string, cell: (row: Row) => ReactNode, className?: 'numeric' | 'nowrap'];

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** What the menu at the end of a row offers, and the name of the row. */
  readonly actions?: (row: Row) => { readonly name: string; readonly actions: readonly RowAction[] };
}

/** A table, or cards where the screen is narrow. The explicit roles survive the `display` of cards. */
export function DataTable<Row>({ label, columns, rows, rowKey, actions }: TableProps<Row>) {
  return (
    <div className="list surface">
      <Table role="table" aria-label={label}>
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map(([header, , className]) => (
              <Table.Th key={header} role="columnheader" className={className}>
                {header}
              </Table.Th>
            ))}
            {actions && (
              <Table.Th role="columnheader" w={1}>
                <VisuallyHidden>{texts.actions}</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows.map((row) => (
            <Table.Tr key={rowKey(row)} role="row">
              {columns.map(([header, cell, className]) => (
                <Table.Td key={header} role="cell" className={className} data-label={header}>
                  <div>{cell(row)}</div>
                </Table.Td>
              ))}
              {actions && (
                <Table.Td role="cell" className="actions">
                  <RowActions {...actions(row)} />
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

export function Loading() {
  return (
    <Stack gap="xs" role="status" aria-label={texts.loading}>
      {[1, 2, 3, 4].map((row) => (
        <Skeleton key={row} height={44} />
      ))}
    </Stack>
  );
}

interface QueryListProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  readonly query: UseQueryResult<{ data: readonly Row[]; total?: number }>;
  readonly empty: ReactNode;
  readonly page?: number | undefined;
  readonly onPage?: (page: number) => void;
}

/** A list from the server: loading, failed, empty, or a table with paging. */
export function QueryList<Row>({ query, empty, page = 1, onPage, ...table }: QueryListProps<Row>) {
  if (query.isPending) return <Loading />;
  if (query.isError) return <Failure error={query.error} onRetry={query.refetch} />;
  const { data: rows, total = rows.length } = query.data;
  const before = (page - 1) * pageSize;
  if (rows.length === 0 && page === 1) return empty;
  return (
    <Stack gap="sm" style={{ opacity: query.isPlaceholderData ? 0.6 : 1 }}>
      <DataTable {...table} rows={rows} />
      {onPage && (
        <Group component="nav" aria-label={texts.paging.label} justify="space-between" mih={32}>
          <Text size="sm" c="dimmed">
            {texts.paging.range(rows.length === 0 ? 0 : before + 1, before + rows.length, total)}
          </Text>
          {(total > pageSize || page > 1) && (
            <Button.Group>
              <Button size="xs" variant="default" disabled={page <= 1} onClick={() => onPage(page - 1)}>
                {texts.paging.previous}
              </Button>
              <Button
                size="xs"
                variant="default"
                disabled={before + rows.length >= total}
                onClick={() => onPage(page + 1)}
              >
                {texts.paging.next}
              </Button>
            </Button.Group>
          )}
        </Group>
      )}
    </Stack>
  );
}
