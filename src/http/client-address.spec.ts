import { addressGroup, clientAddress, isNetwork, isWithin } from './client-address.js';

describe('clientAddress', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['2001:0DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['fe80::1%a:b', 'fe80::1'],
    ['::1', '::1'],
    ['203.0.113.7:4711', '203.0.113.7'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['::203.0.113.7', '::cb00:7107'],
    ['::ffff:0x7f.0.0.1', ''],
    ['unknown', ''],
    ['127.1', ''],
    ['', ''],
  ])('normalizes %s to %s', (ip, address) => {
    expect(clientAddress({ ip })).toBe(address);
  });

  it('is empty for a closed socket', () => {
    expect(clientAddress({ ip: undefined })).toBe('');
  });
});

describe('addressGroup', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['unknown', 'unknown'],
  ])('of %s is %s', (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });
});

describe('isNetwork', () => {
  it.each(['203.0.113.7', '203.0.113.0/24', '0.0.0.0/0', '2001:db8::/32', '::1', '::/0', '::ffff:10.0.0.0/104'])(
    'accepts %s',
    (text) => expect(isNetwork(text)).toBe(true),
  );

  it.each([
    '',
    'example.com',
    '203.0.113.7/33',
    '203.0.113.7/',
    '10.0.0.0/8/8',
    '10.1',
    '::/129',
    '0x7f.0.0.1',
    '1',
    '::ffff:10.0.0.0/8',
  ])('rejects %s', (text) => expect(isNetwork(text)).toBe(false));

  it.each([
    ['203.0.113.7', ['203.0.113.7'], true],
    ['203.0.113.8', ['203.0.113.7'], false],
    ['203.0.113.8', ['198.51.100.0/24', '203.0.113.0/24'], true],
    ['203.0.114.1', ['203.0.113.0/24'], false],
    ['::ffff:203.0.113.8', ['203.0.113.0/24'], true],
    ['203.0.113.8', ['::ffff:203.0.113.0/120'], true],
    ['2001:db8::5', ['2001:db8::/32'], true],
    ['2001:db9::5', ['2001:db8::/32'], false],
    ['203.0.113.8', ['::/0'], false],
    ['2001:db8::5', ['0.0.0.0/0'], false],
    ['', ['0.0.0.0/0', '::/0'], false],
    ['203.0.113.8', [], false],
  ])('with %s in %j: %s', (address, networks, within) => {
    expect(isWithin(address, networks)).toBe(within);
  });
});
