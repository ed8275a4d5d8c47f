import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

/** Returns any value of a field as text. */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (Array.isArray(value)) return value.map(formatValue).join('\n') || 'None';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** Returns a name of the API in words, such as "External ID" for `externalId`. */
export function toWords(name: string): string {
  const words = name.replace(/^is(?=[A-Z])/, '').replace(/([a-z])(?=[A-Z])/g, '$1 ');
  const text = words.toLowerCase().replace(/\b(id|ip|url)\b/g, (word) => word.toUpperCase());
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns the values of an enumeration in words. */
export const labelsOf = <Value extends string>(values: Readonly<Record<string, Value>>, inWords = toWords) =>
  Object.fromEntries(Object.values(values).map((value) => [value, inWords(value)])) as Record<Value, string>;

/** Returns the fields of a record as facts. */
export const factsOf = (fields: object) =>
  Object.entries(fields).map(([name, value]) => [toWords(name), formatValue(value)] as const);

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
