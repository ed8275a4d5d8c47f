import fc from 'fast-check';
import { exampleCursor, parseCursor, toCursor } from './event-cursor.js';

const instants = fc.date({ min: new Date(0), max: new Date('2199-12-31T23:59:59.999Z'), noInvalidDate: true });
const ids = fc.stringMatching(/^[0-9a-f]{24}$/);

describe('a cursor', () => {
  it('is the position that it was made of', () => {
    fc.assert(
      fc.property(instants, ids, (at, id) => {
        expect(parseCursor(toCursor({ at, id }))).toEqual({ at, id });
      }),
    );
  });

  it('can stand in a query as it is', () => {
    fc.assert(fc.property(instants, ids, (at, id) => /^[A-Za-z0-9_-]+$/.test(toCursor({ at, id }))));
  });

  it('is no other text than its own: none is read twice, and none that no list gave', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const position = parseCursor(text);
        expect(position === undefined || toCursor(position) === text).toBe(true);
      }),
    );
  });

  it.each([
    ['empty', ''],
    ['cut', exampleCursor.slice(0, -1)],
    ['doubled', exampleCursor + exampleCursor],
    ['padded', `${exampleCursor}=`],
    ['followed by a blank', `${exampleCursor} `],
    ['with a foreign character, which decoding passes over', `${exampleCursor.slice(0, 9)}!${exampleCursor.slice(9)}`],
    ['with another beginning', `A${exampleCursor.slice(1)}`],
    ['an id alone', '6650f1f77bcf86cd79943981'],
    ['not encoded', '1809165600000-6650f1f77bcf86cd79943981'],
    ['of an id in upper case', Buffer.from('1809165600000-6650F1F77BCF86CD79943981').toString('base64url')],
    ['of a time with a fraction', Buffer.from('18091656000.1-6650f1f77bcf86cd79943981').toString('base64url')],
    ['of a time beyond all times', Buffer.from('18091656000000-6650f1f77bcf86cd79943981').toString('base64url')],
    ['JSON', Buffer.from('{"at":1809165600000}').toString('base64url')],
  ])('is refused where it is %s', (_what, text) => {
    expect(parseCursor(text)).toBeUndefined();
  });
});
