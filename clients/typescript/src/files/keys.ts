import { nameKey } from './cells.js';
import { type DateOrder, parseLocalTime } from './dates.js';

/**
 * Returns an external ID from several cells, the same for `Lee` and `LEE`: their hash (FNV-1a), because IDs appear in logs,
 * where names of children do not belong.
 */
export function hashExternalId(parts: readonly string[]): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(parts.map(nameKey).join('\n')))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return `key-${hash.toString(36)}`;
}

/**
 * Returns a date of an ID in one form, `16-04-07` for `4/7/2016` and `2016-04-07`, also if it has a time; undefined for
 * another text. Of a date with two readings, it does not matter which one is taken, if it is always the same.
 */
export function dateKey(text: string, order: DateOrder | undefined): string | undefined {
  if (!/\d\D+\d/.test(text)) return undefined;
  // Dots are for day, month and year.
  const usual = text.includes('.') ? undefined : 'mdy';
  for (const each of [order ?? usual, undefined]) {
    try {
      const { day, minutes } = parseLocalTime(text, each);
      return day === undefined ? undefined : new Date(day).toISOString().slice(2, 10) + (minutes ? ` ${minutes}` : '');
    } catch {
      // It is no date in this order.
    }
  }
  return undefined;
}
