import type { Db } from 'mongodb';

/** A stored value as text with its location: `apiKeys.previous.secretHash`. */
export interface StoredValue {
  readonly place: string;
  readonly text: string;
}

/** Every value of every document of every collection. */
export async function readAllStoredValues(database: Db): Promise<StoredValue[]> {
  const collections = await database.listCollections().toArray();
  const stored: StoredValue[] = [];
  for (const { name } of collections.filter(({ type }) => type === 'collection')) {
    const documents = await database.collection(name).find({}).toArray();
    stored.push(...documents.flatMap((document) => valuesIn(document, name)));
  }
  return stored;
}

function valuesIn(value: unknown, place: string): StoredValue[] {
  if (Array.isArray(value)) return value.flatMap((inner) => valuesIn(inner, place));
  if (isPlain(value)) return Object.entries(value).flatMap(([name, inner]) => valuesIn(inner, `${place}.${name}`));
  return [{ place, text: value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value) }];
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
