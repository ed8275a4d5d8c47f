import type { Connection } from 'mongoose';

/** The collections that hold anything, by name, but for those of MongoDB itself. */
export async function filledCollections(connection: Connection): Promise<string[]> {
  const listed = (await connection.db?.listCollections({}, { nameOnly: true }).toArray()) ?? [];
  const filled: string[] = [];
  for (const { name, type } of listed) {
    // A view holds nothing of its own.
    if (type === 'view' || name.startsWith('system.')) continue;
    if ((await connection.collection(name).findOne({}, { projection: { _id: 1 } })) !== null) filled.push(name);
  }
  return filled.sort();
}
