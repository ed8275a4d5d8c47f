import { ListQuery } from '../http/paging.js';
import { CursorPage } from './cursor-page.js';

const organization = '6650f1f77bcf86cd79943911';
const end = { at: new Date('2027-05-01T10:00:00.123Z'), id: '6650f1f77bcf86cd79943941' };
const now = new Date('2027-05-01T10:00:00.000Z');

const pageOf = (asked: Partial<ListQuery> & Record<string, unknown> = {}, at = now) =>
  new CursorPage(organization, Object.assign(new ListQuery(), asked), 'teams', at);
const cursorOf = (page: CursorPage<ListQuery>, position: { at: Date; id?: string } = end): string =>
  page.next(position).nextCursor ?? 'none';
const refusal = /^cursor must be the nextCursor of a page of this list, sent with the same filters$/;

describe('a cursor', () => {
  it.each([
    ['with an ID', end],
    ['without one', { at: end.at }],
    ['before 1970', { at: new Date(-1), id: end.id }],
  ])('contains the position %s that it was built from, with any limit', (_, position) => {
    const { start } = pageOf({ cursor: cursorOf(pageOf({ page: 3 }), position), limit: 7 });
    expect(start).toEqual({ limit: 7, after: position });
  });

  it('keeps the time of the first page', () => {
    let page = pageOf();
    for (let later = 1; later <= 3; later++) {
      page = pageOf({ cursor: cursorOf(page) }, new Date(now.getTime() + later));
    }
    expect(page.asOf).toEqual(now);
  });

  it('has at most 120 characters, and needs no escaping', () => {
    expect(cursorOf(pageOf())).toMatch(/^[\w-]{60,120}$/);
  });

  it('is rejected if it comes from a list with another filter, even one that no list has yet', () => {
    expect(() => pageOf({ cursor: cursorOf(pageOf({ anything: 1 })) })).toThrow(refusal);
    expect(() => pageOf({ cursor: cursorOf(pageOf()), other: 1 })).toThrow(refusal);
  });

  it('is independent of the order of filters, omitted filters and the case of IDs', () => {
    const from = new Date('2027-05-01T00:00:00Z');
    const one = pageOf({ filter: 'live', from, teamId: end.id.toUpperCase(), eventType: undefined });
    const cursor = cursorOf(one);
    expect(pageOf({ cursor, teamId: end.id, from: new Date(from), filter: 'live' }).start).toMatchObject({
      after: end,
    });
  });

  it('is rejected if any part was changed', () => {
    const cursor = cursorOf(pageOf());
    const text = Buffer.from(cursor, 'base64url').toString();
    const [moment, at, id, checksum] = text.split('.') as [string, string, string, string];
    const others = [
      [`0${moment}`, at, id, checksum],
      ['', at, id, checksum],
      [moment, 'NaN', id, checksum],
      [moment, '9'.repeat(15), id, checksum],
      [moment, at, '{"$gt":""}', checksum],
      [moment, at, '', checksum],
      [moment, at, id.toUpperCase(), checksum],
      [moment, at, id, checksum.slice(1)],
      [moment, at, id],
    ].map((parts) => Buffer.from(parts.join('.')).toString('base64url'));
    for (const changed of [...others, '', ' ', cursor + cursor, `${cursor}=`, `${cursor} `, `!${cursor}`, text]) {
      expect(() => pageOf({ cursor: changed })).toThrow(refusal);
    }
  });
});
