import data from 'tzdata' with { type: 'json' };

const ianaNames = ['UTC', ...Object.keys(data.zones).filter((name) => name.includes('/'))];
const byLowerCase = new Map(ianaNames.map((name) => [name.toLowerCase(), name]));

/**
 * Returns a name of the IANA database, in any case, as the database writes it, or undefined. Abbreviations have several
 * meanings, of which `Intl` knows only one: `BST` is the time of Dhaka to it.
 */
export function ianaTimeZone(name: unknown): string | undefined {
  const zone = typeof name === 'string' ? byLowerCase.get(name.toLowerCase()) : undefined;
  return zone !== undefined && mainZoneOf(zone) !== undefined ? zone : undefined;
}

/** Returns the main name of a time zone, of which there are few, or undefined if the runtime does not know the zone. */
export function mainZoneOf(timeZone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
