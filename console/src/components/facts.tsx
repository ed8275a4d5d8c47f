import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatIn, formatTime } from './time';

const instant = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/**
 * Returns any value of a field as text.
 * @param zone the time zone of its times, instead of the viewer's
 */
export function formatValue(value: unknown, zone?: string): string {
  if (value === null || value === undefined) return 'None';
  if (Array.isArray(value)) return value.map((each) => formatValue(each, zone)).join('\n') || 'None';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value !== 'string') return JSON.stringify(value, null, 2);
  if (!instant.test(value) || Number.isNaN(Date.parse(value))) return value;
  return zone === undefined ? formatTime(value) : formatIn(zone, value).join('\n');
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
export const factsOf = (fields: object, zone?: string) =>
  Object.entries(fields).map(([name, value]) => [toWords(name), formatValue(value, zone)] as const);

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
