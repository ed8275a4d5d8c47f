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

/** The main names by the names of the database: the runtime takes 70 µs for each. */
const mainZones = new Map<string, string | undefined>();

/** Returns the main name of a zone of the database, of which there are few, or undefined if the runtime does not know it. */
export function mainZoneOf(zone: string): string | undefined {
  if (!mainZones.has(zone)) mainZones.set(zone, lookUpMainZone(zone));
  return mainZones.get(zone);
}

function lookUpMainZone(timeZone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
