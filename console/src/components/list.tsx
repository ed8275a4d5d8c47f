import { Button, Group, Skeleton, Stack, Table, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { texts } from '../texts';
import { Failure } from './failure';

export const pageSize = 20;

export interface Column<Row> {
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  readonly className?: 'numeric' | 'actions';
}

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
}

/** A table, or cards where the screen is narrow. The explicit roles survive the `display` of cards. */
export function DataTable<Row>({ label, columns, rows, rowKey }: TableProps<Row>) {
  return (
    <div className="list surface">
      <Table role="table" aria-label={label}>
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map(({ header, className }) => (
              <Table.Th key={header} role="columnheader" scope="col" className={className}>
                {className === 'actions' ? <span className="mantine-visually-hidden">{header}</span> : header}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows.map((row) => (
            <Table.Tr key={rowKey(row)} role="row">
              {columns.map(({ header, cell, className }) => (
                <Table.Td key={header} role="cell" className={className} data-label={header}>
                  <div>{cell(row)}</div>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
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
  if (query.isError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  const { data: rows, total } = query.data;
  if (rows.length === 0 && page === 1) return empty;
  return (
    <Stack gap="sm" style={{ opacity: query.isPlaceholderData ? 0.6 : 1 }}>
      <DataTable {...table} rows={rows} />
      {total !== undefined && onPage && <Paging page={page} count={rows.length} total={total} onPage={onPage} />}
    </Stack>
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

interface PagingProps {
  readonly page: number;
  readonly count: number;
  readonly total: number;
  readonly onPage: (page: number) => void;
}

function Paging({ page, count, total, onPage }: PagingProps) {
  const before = (page - 1) * pageSize;
  return (
    <Group component="nav" aria-label={texts.paging.label} justify="space-between">
      <Text size="sm" c="dimmed">
        {texts.paging.range(count === 0 ? 0 : before + 1, before + count, total)}
      </Text>
      {total > pageSize && (
        <Group gap="xs">
          <Button size="xs" variant="default" disabled={page <= 1} onClick={() => onPage(page - 1)}>
            {texts.paging.previous}
          </Button>
          <Button size="xs" variant="default" disabled={before + count >= total} onClick={() => onPage(page + 1)}>
            {texts.paging.next}
          </Button>
        </Group>
      )}
    </Group>
  );
}
