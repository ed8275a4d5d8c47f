import { Clock } from '../common/clock.js';
import { ListQuery } from '../common/http/paging.js';
import { parseConfiguration } from '../config/configuration.js';
import { type ListIdentity, ListCursors } from './list-cursors.js';

const secret = 'a secret of at least 32 characters';
const scope = { organization: { id: '6650f1f77bcf86cd79943911' } };
const list: ListIdentity = { name: 'teams' };
const end = { at: new Date('2027-05-01T10:00:00.123Z'), id: '6650f1f77bcf86cd79943941' };

const replica = (JWT_SECRET: string) => new ListCursors(parseConfiguration({ JWT_SECRET }), new Clock());
const asking = (query: Partial<ListQuery>) => Object.assign(new ListQuery(), query);

function cursorOf(cursors: ListCursors): string {
  const walk = cursors.begin(scope, asking({}), list);
  return walk.answer({ data: [], total: 40, end }, String).nextCursor ?? 'none';
}

describe('a cursor', () => {
  it('is opened by every replica with the same secret, and says where the page begins', () => {
    const { start } = replica(secret).begin(scope, asking({ cursor: cursorOf(replica(secret)), limit: 7 }), list);
    expect(start).toEqual({ limit: 7, behind: end });
  });

  it('is refused by a server with another secret', () => {
    const cursor = cursorOf(replica(`${secret}!`));
    expect(() => replica(secret).begin(scope, asking({ cursor }), list)).toThrow(/^cursor must be the nextCursor/);
  });

  it('keeps the moment of the first page through all pages', async () => {
    const cursors = replica(secret);
    const first = cursors.begin(scope, asking({}), list);
    await new Promise((resolve) => setTimeout(resolve, 5));
    let walk = first;
    for (let page = 0; page < 3; page++) {
      const { nextCursor = '' } = walk.answer({ data: [], total: 40, end }, String);
      walk = cursors.begin(scope, asking({ cursor: nextCursor }), list);
    }
    expect(walk.moment).toEqual(first.moment);
  });

  it('shows nothing of what it holds, and is never the same twice', () => {
    const cursors = replica(secret);
    const [one, other] = [cursorOf(cursors), cursorOf(cursors)];
    expect(one).not.toBe(other);
    expect(Buffer.from(one, 'base64url').includes(Buffer.from(end.id, 'hex'))).toBe(false);
    expect(one).toMatch(/^[\w-]{76}$/);
  });

  it('is not there where there is no further page', () => {
    const walk = replica(secret).begin(scope, asking({}), list);
    expect(walk.answer({ data: [1], total: 1 }, String)).toEqual({ data: ['1'], total: 1 });
  });

  it.each<[what: string, other: ListIdentity]>([
    ['another list', { name: 'seasons' }],
    ['a list with a filter', { name: 'teams', filters: { filter: 'live' } }],
  ])('is refused by %s', (_, other) => {
    const cursors = replica(secret);
    expect(() => cursors.begin(scope, asking({ cursor: cursorOf(cursors) }), other)).toThrow(/with the same filters$/);
  });

  it('does not care in which order filters are named, nor for those that are not sent', () => {
    const cursors = replica(secret);
    const one: ListIdentity = { name: 'schedules', filters: { filter: 'live', eventType: 'game', teamId: undefined } };
    const { nextCursor = '' } = cursors.begin(scope, asking({}), one).answer({ data: [], total: 9, end }, String);
    const same: ListIdentity = { name: 'schedules', filters: { eventType: 'game', filter: 'live' } };
    expect(cursors.begin(scope, asking({ cursor: nextCursor }), same).start).toMatchObject({ behind: end });
  });
});
