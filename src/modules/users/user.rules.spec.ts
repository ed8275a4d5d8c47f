import { isKnownNetwork } from './user.rules.js';

const network = '198.51.100.7';
const now = new Date('2027-05-31T12:00:00Z');
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000);
const userWith = (at: Date) => ({
  recentLogins: [
    { network: '198.51.100.8', at: now },
    { network, at },
  ],
});

describe('isKnownNetwork', () => {
  it.each([
    ['returns true for 30 days after a login', hoursAgo(30 * 24), true],
    ['returns false after that', hoursAgo(30 * 24 + 1), false],
  ])('%s', (_, at, isKnown) => {
    expect(isKnownNetwork(userWith(at), network, now)).toBe(isKnown);
  });

  it('returns false for a user who logged in elsewhere, or never', () => {
    expect(isKnownNetwork(userWith(now), '198.51.100.9', now)).toBe(false);
    expect(isKnownNetwork({}, network, now)).toBe(false);
  });
});
