import { Button, Center, Group, Skeleton, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { isOutage } from '../api/client';
import { useFilters } from '../search';
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
  /** Where the columns do not fit, the table scrolls behind the first one, because its rows are compared. */
  isScrolling?: boolean;
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
export function DataTable<Row>({ label, columns, rows, rowKey, isScrolling = false }: TableProps<Row>) {
  const { ref, isCards } = useCards(columns, rows);
  return (
    <div ref={ref} className={`list surface ${isScrolling ? 'scrolls' : isCards ? 'cards' : ''}`}>
      <Table role="table" aria-label={label}>
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map(([header, , className]) => (
              <Table.Th key={header} role="columnheader" className={className} c="dimmed" fz="xs">
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

/** Shows the data of a query. An error stands above data that was read before; `Outage` shows one of the whole server. */
export function Loaded<Data>({ query, children }: { query: Query<Data>; children: (data: Data) => ReactNode }) {
  const { data, error, refetch } = query;
  const isOwn = error !== null && !isOutage(error);
  return (
    <>
      {isOwn && <Failure error={error} onRetry={refetch} />}
      {data === undefined ? !isOwn && <Loading /> : children(data)}
    </>
  );
}

interface Query<Data> {
  data: Data | undefined;
  error: Problem | null;
  refetch: () => unknown;
}

interface QueryListProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  query: UseQueryResult<{ data: readonly Row[]; total?: number }, Problem>;
  empty: EmptyText;
  /** What to show if nothing matches the filters of the URL, with the label of the button that removes them. */
  noMatch?: readonly [...text: EmptyText, clear: string];
  /** Whether the URL has the page. Otherwise only the first rows are shown. */
  isPaged?: boolean;
}

/** A list from the server: loading, failed, empty, or a table with paging. */
export function QueryList<Row>({ query, empty, noMatch, isPaged = false, ...table }: QueryListProps<Row>) {
  const { filters, clear, isFiltered } = useFilters();
  const page = isPaged ? (filters.page ?? 1) : 1;
  return (
    <Loaded query={query}>
      {({ data: rows, total = rows.length }) => {
        if (rows.length === 0 && page === 1) {
          if (!noMatch || !isFiltered) return <Empty text={empty} />;
          const [reason, hint, label] = noMatch;
          return <Empty text={[reason, hint]} actions={[{ label, onClick: clear }]} />;
        }
        return (
          <Stack gap="sm" opacity={query.isPlaceholderData ? 0.6 : 1}>
            <DataTable {...table} rows={rows} />
            {isPaged ? (
              <Pages page={page} length={rows.length} total={total} />
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

interface LoadMoreProps {
  hasNextPage: boolean;
  fetchNextPage: () => unknown;
  isFetchingNextPage: boolean;
}

/** The button below a list with a cursor. */
export const LoadMore = ({ hasNextPage, fetchNextPage, isFetchingNextPage }: LoadMoreProps) =>
  hasNextPage && (
    <Center>
      <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        Load more
      </Button>
    </Center>
  );

function Pages({ page, length, total }: { page: number; length: number; total: number }) {
  const { change } = useFilters();
  const before = (page - 1) * pageSize;
  const first = length === 0 ? 0 : before + 1;
  return (
    <Group component="nav" aria-label="Pages" justify="space-between" mih={32}>
      <Text size="sm" c="dimmed">
        {formatNumber(first)}–{formatNumber(before + length)} of {formatNumber(total)}
      </Text>
      {(total > pageSize || page > 1) && (
        <Button.Group>
          <Button size="xs" variant="default" disabled={page <= 1} onClick={() => change({ page: page - 1 })}>
            Previous page
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={before + length >= total}
            onClick={() => change({ page: page + 1 })}
          >
            Next page
          </Button>
        </Button.Group>
      )}
    </Group>
  );
}
