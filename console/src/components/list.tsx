import { Button, Group, Skeleton, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { formatNumber } from './number';
import { Empty, type EmptyText, Failure, type Problem, type RowAction, RowActions } from './ui';

export const pageSize = 20;

export type Column<Row> = readonly [
  header: string,
  cell: (row: Row) => ReactNode,
  className?: 'numeric' | 'nowrap' | 'actions',
];

/** Returns the column with a menu at the end of each row. */
export function actionsColumn<Row>(menuOf: (row: Row) => [name: string, ...actions: RowAction[]]): Column<Row> {
  const menu = (row: Row) => {
    const [name, ...actions] = menuOf(row);
    return <RowActions name={name} actions={actions} />;
  };
  return ['Actions', menu, 'actions'];
}

export interface TableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
}

/** Returns whether a list has less room than its columns have needed as a table, before anything is painted. */
function useCards(columns: unknown, rows: unknown) {
  const list = useRef<HTMLDivElement>(null);
  const { ref, width } = useElementSize();
  const [needed, setNeeded] = useState(0);
  useLayoutEffect(() => {
    const { scrollWidth = 0, clientWidth = 0, offsetWidth = 0 } = list.current ?? {};
    // With the borders, as the width of the element has them.
    if (scrollWidth > clientWidth) setNeeded(scrollWidth + offsetWidth - clientWidth);
  }, [columns, rows, width]);
  return { ref: useMergedRef(list, ref), isCards: width < needed };
}

/** A table, or cards where its columns do not fit. The explicit roles survive the `display` of cards. */
export function DataTable<Row>({ label, columns, rows, rowKey }: TableProps<Row>) {
  const { ref, isCards } = useCards(columns, rows);
  return (
    <div ref={ref} className={isCards ? 'list cards surface' : 'list surface'}>
      <Table role="table" aria-label={label}>
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map(([header, , className]) => (
              <Table.Th key={header} role="columnheader" className={className}>
                {className === 'actions' ? <VisuallyHidden>{header}</VisuallyHidden> : header}
              </Table.Th>
            ))}
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
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function Loading() {
  return (
    <Stack gap="xs" role="status" aria-label="Loading">
      {[1, 2, 3, 4].map((row) => (
        <Skeleton key={row} height={44} />
      ))}
    </Stack>
  );
}

/** Shows the data of a query. An error stands above data that was read before. */
export function Loaded<Data>({ query, children }: { query: Query<Data>; children: (data: Data) => ReactNode }) {
  const { data, error, refetch } = query;
  return (
    <>
      {error && <Failure error={error} onRetry={refetch} />}
      {data === undefined ? !error && <Loading /> : children(data)}
    </>
  );
}

interface Query<Data> {
  data: Data | undefined;
  error: Problem | null;
  refetch: () => unknown;
}

export interface Paging {
  page?: number;
  onPage?: (page: number) => void;
}

interface QueryListProps<Row> extends Omit<TableProps<Row>, 'rows'>, Paging {
  query: UseQueryResult<{ data: readonly Row[]; total?: number }, Problem>;
  empty: EmptyText;
  /** Removes the filter that nothing matches. */
  onClear?: [label: string, clear: () => void];
}

/** A list from the server: loading, failed, empty, or a table with paging. */
export function QueryList<Row>({ query, empty, onClear, page = 1, onPage, ...table }: QueryListProps<Row>) {
  return (
    <Loaded query={query}>
      {({ data: rows, total = rows.length }) => {
        if (rows.length === 0 && page === 1) {
          return (
            <Empty text={empty}>
              {onClear && (
                <Button variant="default" onClick={onClear[1]}>
                  {onClear[0]}
                </Button>
              )}
            </Empty>
          );
        }
        return (
          <Stack gap="sm" opacity={query.isPlaceholderData ? 0.6 : 1}>
            <DataTable {...table} rows={rows} />
            {onPage ? (
              <Pages page={page} onPage={onPage} length={rows.length} total={total} />
            ) : (
              rows.length < total && (
                <Text size="sm" c="dimmed">{`The first ${rows.length} of ${formatNumber(total)}.`}</Text>
              )
            )}
          </Stack>
        );
      }}
    </Loaded>
  );
}

function Pages({ page, onPage, length, total }: Required<Paging> & { length: number; total: number }) {
  const before = (page - 1) * pageSize;
  const first = length === 0 ? 0 : before + 1;
  return (
    <Group component="nav" aria-label="Pages" justify="space-between" mih={32}>
      <Text size="sm" c="dimmed">
        {formatNumber(first)}–{formatNumber(before + length)} of {formatNumber(total)}
      </Text>
      {(total > pageSize || page > 1) && (
        <Button.Group>
          <Button size="xs" variant="default" disabled={page <= 1} onClick={() => onPage(page - 1)}>
            Previous page
          </Button>
          <Button size="xs" variant="default" disabled={before + length >= total} onClick={() => onPage(page + 1)}>
            Next page
          </Button>
        </Button.Group>
      )}
    </Group>
  );
}
