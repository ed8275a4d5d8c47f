import { mongo } from 'mongoose';

const { deserialize, serialize, EJSON } = mongo.BSON;

/** Nothing is turned into a plainer type of JavaScript, so that a double stays one where it could be a whole number. */
const everyType = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true } as const;

/** A document that cannot be carried without a change. */
export class InexactDocument extends Error {}

/**
 * A stored document as one line of text: canonical Extended JSON, and BSON in base64 where that would not lead back to
 * the same bytes (as a field that is named like one of its types). Each line is read back here before it is believed.
 * @param stored the document's BSON
 * @throws InexactDocument where neither leads back to the same bytes
 */
export function toLine(stored: Uint8Array): string {
  const document = read(stored);
  const line = EJSON.stringify(document, { relaxed: false });
  if (!line.startsWith(inBsonStart) && leadsBack(() => documentOf(line), stored)) return line;
  if (leadsBack(() => document, stored)) return `${inBsonStart}${JSON.stringify(base64(stored))}}`;
  throw new InexactDocument('A document cannot be written down without a change');
}

/** The document of a line that `toLine` made, ready to be stored. */
export function documentOf(line: string): mongo.Document {
  if (!line.startsWith(inBsonStart)) return EJSON.parse(line, { relaxed: false }) as mongo.Document;
  const { $bson } = JSON.parse(line) as { $bson: string };
  return read(Buffer.from($bson, 'base64'));
}

const inBsonStart = '{"$bson":';

function read(stored: Uint8Array): mongo.Document {
  try {
    return deserialize(stored, everyType);
  } catch (error) {
    throw new InexactDocument(`A document cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function leadsBack(document: () => mongo.Document, stored: Uint8Array): boolean {
  try {
    return Buffer.compare(serialize(document()), stored) === 0;
  } catch {
    return false;
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
