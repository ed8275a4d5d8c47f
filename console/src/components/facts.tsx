import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

/** Returns any value of a field as text. */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (Array.isArray(value)) return value.map(formatValue).join('\n') || 'None';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

interface FactsProps {
  label: string;
  /** Those without a value are left out. */
  facts: readonly (readonly [name: string, value: ReactNode])[];
}

/** What is known about a record, one line each. */
export function Facts({ label, facts }: FactsProps) {
  return (
    <Table variant="vertical" layout="fixed" aria-label={label} withTableBorder className="surface">
      <Table.Tbody>
        {facts
          .filter(([, fact]) => fact !== undefined)
          .map(([name, fact]) => (
            <Table.Tr key={name}>
              <Table.Th w={{ base: 128, xs: 168 }} scope="row" className="break">
                {name}
              </Table.Th>
              <Table.Td className="break" style={{ whiteSpace: 'pre-wrap' }}>
                {fact}
              </Table.Td>
            </Table.Tr>
          ))}
      </Table.Tbody>
    </Table>
  );
}
