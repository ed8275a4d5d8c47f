import { isKnownNetwork, shouldStoreLogin } from './recent-logins.js';

const network = '198.51.100.7';
const now = new Date('2027-05-31T12:00:00Z');
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000);
const userWith = (at: Date) => ({
  recentLogins: [
    { network: '198.51.100.8', at: now },
    { network, at },
  ],
});

describe('a network', () => {
  it.each([
    ['is known for 30 days after a login', hoursAgo(30 * 24), true],
    ['is not known after that', hoursAgo(30 * 24 + 1), false],
  ])('%s', (_, at, isKnown) => {
    expect(isKnownNetwork(userWith(at), network, now)).toBe(isKnown);
  });

  it('is not known for a user who logged in elsewhere, or never', () => {
    expect(isKnownNetwork(userWith(now), '198.51.100.9', now)).toBe(false);
    expect(isKnownNetwork({}, network, now)).toBe(false);
  });
});

describe('a login', () => {
  it('is stored if the last stored one from its network is older than a day, or missing', () => {
    expect(shouldStoreLogin(userWith(hoursAgo(23)), network, now)).toBe(false);
    expect(shouldStoreLogin(userWith(hoursAgo(25)), network, now)).toBe(true);
    expect(shouldStoreLogin(userWith(now), '198.51.100.9', now)).toBe(true);
    expect(shouldStoreLogin({}, network, now)).toBe(true);
  });

  it('is not stored without an address', () => {
    expect(shouldStoreLogin({}, '', now)).toBe(false);
  });
});
