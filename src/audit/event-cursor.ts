import { Field } from '../common/validation/field.js';
import { isRecordId } from '../common/validation/fields.js';

/** A place between two events of a list that is newest first: behind this one. */
export interface EventPosition {
  readonly at: Date;
  readonly id: string;
}

const form = /^(\d{13})-([0-9a-f]{24})$/;

/** A position as admins hand it back: a text that they need not read. */
export function toCursor({ at, id }: EventPosition): string {
  return Buffer.from(`${String(at.getTime()).padStart(13, '0')}-${id}`).toString('base64url');
}

/** A cursor as the documents show one. */
export const exampleCursor = toCursor({ at: new Date('2027-05-01T10:00:00.000Z'), id: '6650f1f77bcf86cd79943981' });

/** The position of a cursor; undefined for any text that no list gave. */
export function parseCursor(cursor: string): EventPosition | undefined {
  const [, milliseconds, id] = form.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (milliseconds === undefined || !isRecordId(id)) return undefined;
  const position = { at: new Date(Number(milliseconds)), id };
  // Decoding passes over what is no base64url; encoding again tells.
  return toCursor(position) === cursor ? position : undefined;
}

/** The cursor of a list of events. Becomes an `EventPosition`. */
export function CursorField(): PropertyDecorator {
  return Field({
    convert: (raw) => (typeof raw === 'string' ? (parseCursor(raw) ?? raw) : raw),
    problem: (value) =>
      typeof value === 'object' && !Array.isArray(value) ? undefined : 'must be the nextCursor of a page before',
    schema: {
      description: 'Where the page begins: `nextCursor` of the page before. Left out: with the newest event.',
      type: String,
      example: exampleCursor,
    },
  });
}
