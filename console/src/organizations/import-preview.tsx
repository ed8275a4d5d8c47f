import { NativeSelect, Table, Text } from '@mantine/core';
import { toWords } from '../components/facts';
import type { Preview } from './import-worker';

interface PreviewProps {
  preview: Preview;
  /** The new field of a column, `null` for none. */
  onMap: (map: Record<string, string | null>) => void;
}

/** Returns a field in words, such as "Qb: pass attempts". */
const labelOf = (field: string) =>
  field
    .split('/')
    .map((part) => part.split('.').map(toWords).join(': '))
    .join(' / ');

/** The first rows of a file, with the field of each column, which can be changed. */
export function ImportPreview({ preview: { names, fields, choices, rows }, onMap }: PreviewProps) {
  const data = [{ value: '', label: 'Not imported' }, ...choices.map((value) => ({ value, label: labelOf(value) }))];
  return (
    <div>
      <Text size="sm" mb="xs">
        The first rows, with the field of each column:
      </Text>
      <div className="surface" style={{ overflowX: 'auto' }}>
        <Table aria-label="First rows of the file">
          <Table.Thead>
            <Table.Tr>
              {names.map((name, index) => (
                <Table.Th key={index} miw={152} style={{ verticalAlign: 'bottom' }}>
                  {name}
                  <NativeSelect
                    aria-label={`Field of ${name || `column ${index + 1}`}`}
                    size="xs"
                    // Only the first column with a name can be mapped.
                    disabled={name === '' || names.indexOf(name) !== index}
                    data={data}
                    value={fields[index] ?? ''}
                    onChange={({ currentTarget }) => onMap({ [name]: currentTarget.value || null })}
                  />
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ line, cells }) => (
              <Table.Tr key={line}>
                {names.map((_, index) => (
                  <Table.Td key={index} c={fields[index] === undefined ? 'dimmed' : undefined}>
                    {cells[index]}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </div>
  );
}
