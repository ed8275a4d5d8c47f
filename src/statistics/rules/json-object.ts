/** A JSON object as JSON.parse gives it; `__proto__` can be one of its own keys, so read only what it owns. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a parsed JSON value is an object: no list, no null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** More wrong names than an answer lists need not be found: a body of a megabyte can hold 150,000. */
const unknownNamesFound = 50;

/** The own names of the object that are not among the known ones, in the order sent, the first 50. */
export function unknownNames(object: JsonObject, known: readonly string[]): string[] {
  const names: string[] = [];
  for (const name of Object.keys(object)) {
    if (names.length < unknownNamesFound && !known.includes(name)) {
      names.push(name);
    }
  }
  return names;
}

/** So much of an unknown name is quoted: enough to find it, too little to send a whole body back. */
const quotedLength = 60;

/** The path of a field: `rows[3].stats` and `sacks` give `rows[3].stats.sacks`; any odd name is cut, escaped, quoted. */
export function fieldOf(path: string, name: string): string {
  if (/^\w{1,60}$/.test(name)) {
    return `${path}.${name}`;
  }
  const start = name.length > quotedLength ? `${name.slice(0, quotedLength)}…` : name;
  return `${path}[${JSON.stringify(start)}]`;
}
