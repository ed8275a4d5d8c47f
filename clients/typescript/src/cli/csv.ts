/** A record of a CSV file, and the line on which it begins. */
export interface CsvRecord {
  line: number;
  cells: string[];
}

/**
 * Parses CSV (RFC 4180), separated by commas, semicolons or tabs: by what the header has most of. Skips empty records.
 *
 * @throws SyntaxError if a quote is not closed, or text follows it.
 */
export function parseCsv(text: string): CsvRecord[] {
  const separator = findSeparator(text);
  const quoted = '"([^"]*(?:""[^"]*)*)"';
  const unquoted = `((?!")[^${separator}\\r\\n]*)`;
  const cell = new RegExp(`(?:${quoted}|${unquoted})(${separator}|\\r?\\n|\\r|$)`, 'y');
  const records: CsvRecord[] = [];
  let record: CsvRecord = { line: 1, cells: [] };
  for (let line = 1; cell.lastIndex < text.length || record.cells.length > 0;) {
    const match = cell.exec(text);
    if (!match) throw new SyntaxError(`Line ${line}: a quote is not closed, or text follows it.`);
    record.cells.push((match[1]?.replaceAll('""', '"') ?? match[2] ?? '').trim());
    line += match[0].match(/\r\n?|\n/g)?.length ?? 0;
    if (match[3] === separator) continue;
    if (record.cells.some((value) => value !== '')) records.push(record);
    record = { line, cells: [] };
  }
  return records;
}

function findSeparator(text: string): string {
  const [header = ''] = text.replace(/"[^"]*"/g, '').split(/[\r\n]/, 1);
  const count = (separator: string) => header.split(separator).length;
  return [',', ';', '\t'].reduce((best, each) => (count(each) > count(best) ? each : best));
}
