/** A problem of a row because of which nothing is sent, as it concerns the whole file. */
export class FileError extends Error {}

/** Says why a row is no record, such as a coach or a totals line. */
export class SkippedRow extends Error {}

/**
 * Returns the text of a cell without white space around it, characters that nobody sees, and an apostrophe that keeps
 * spreadsheets from reading a formula.
 */
export function clean(cell = ''): string {
  return cell
    .replace(/[\u00ad\u200b\u2060\ufeff]/g, '')
    .replace(/^'(?=[=+\-@\t\r])/, '')
    .trim();
}

/** What people write into a cell that has no value. */
const placeholder = /^(n\/?a|n\.a\.|none|null|unknown|#?tb[acd]|[-–—?.]+)$/i;

export function isPlaceholder(text: string): boolean {
  return placeholder.test(text) || isSheetError(text);
}

/** Returns whether a cell has the error of a formula, such as `#N/A` or `#REF!`, or `###` of a narrow column. */
export function isSheetError(text: string): boolean {
  return /^#([a-z/0]+[!?]|n\/a|#+)$/i.test(text);
}

export function isYes(text: string): boolean {
  return /^(y|yes|true|1|x)$/i.test(text);
}

/** Returns a text in the form in which names are compared: without case, accents and punctuation. */
export function nameKey(text: string): string {
  const letters = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return letters.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
}

/**
 * Returns an external ID that the API accepts: a valid one as it is; otherwise with `-` for spaces, and with `~` and the
 * hexadecimal UTF-8 code for any other character, so that people recognize it: `2026/118` becomes `2026~2F118`.
 */
export function toExternalId(text: string): string {
  const joined = text.replace(/\s+/g, '-');
  if (/^[\w.:~@-]*$/.test(joined) && !/^\.{1,2}$/.test(joined)) return joined;
  return joined.replace(/[^\w:@-]/gu, (character) =>
    Array.from(
      new TextEncoder().encode(character),
      (byte) => `~${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    ).join(''),
  );
}

/** Returns the positions of a cell such as `QB/WR`, each once. */
export function toPositions(text: string): string[] {
  const positions = text.split(/[/|,;]/).map(clean);
  const isFirst = (position: string, index: number) =>
    positions.findIndex((each) => each.toUpperCase() === position.toUpperCase()) === index;
  return positions.filter((position, index) => position !== '' && !isPlaceholder(position) && isFirst(position, index));
}
