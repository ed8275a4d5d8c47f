import type dns from 'node:dns/promises';
import { newRecordId } from '../../src/database/record.js';
import { FixedClock } from '../support/application.js';
import { expectFieldError } from '../support/expectations.js';
import { NameServer } from '../support/name-server.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';
import { newSender, sendTo, TcpListener } from '../support/webhook-sender.js';

/** What names resolve to at the next connections. */
let resolved: string[] = [];
/** The name server does not respond for these. */
const silentNames = new Set<string>();
let mockNameServer: NameServer;

jest.mock('node:dns/promises', () => {
  const actual = jest.requireActual<typeof dns>('node:dns/promises');
  class Resolver extends actual.Resolver {
    constructor(...options: ConstructorParameters<typeof dns.Resolver>) {
      super(...options);
      this.setServers([mockNameServer.address]);
    }
  }
  return { ...actual, Resolver };
});

let server: RunningServer;
let organization: TestOrganization;
let listener: TcpListener;

beforeAll(async () => {
  server = await RunningServer.start();
  [organization, listener] = await Promise.all([createOrganization(server), TcpListener.start()]);
  mockNameServer = await NameServer.start((name) => (silentNames.has(name) ? null : resolved));
});
afterAll(() => {
  mockNameServer.stop();
  return Promise.all([listener.stop(), server.stop()]);
});

/** URLs that must not reach this machine or its network; `:0` becomes the port of a listener on it. */
const hostileUrls: readonly (readonly [what: string, url: string])[] = [
  ['loopback', 'https://127.0.0.1:0/'],
  ['a short IPv4 address', 'https://127.1:0/'],
  ['a decimal IPv4 address', 'https://2130706433:0/'],
  ['an octal IPv4 address', 'https://017700000001:0/'],
  ['a trailing dot', 'https://127.0.0.1.:0/'],
  ['the unspecified address', 'https://0.0.0.0:0/'],
  ['this network', 'https://0.1.2.3:0/'],
  ['broadcast', 'https://255.255.255.255:0/'],
  ['multicast', 'https://224.0.0.1:0/'],
  ['a reserved address', 'https://240.0.0.1:0/'],
  ['a private address, class A', 'https://10.0.0.1:0/'],
  ['a private address, class B', 'https://172.16.0.1:0/'],
  ['a private address, class C', 'https://192.168.0.1:0/'],
  ['a link-local address', 'https://169.254.1.1:0/'],
  ['the metadata service', 'https://169.254.169.254/latest/meta-data/'],
  ['carrier-grade NAT', 'https://100.64.0.1:0/'],
  ['the metadata service of Alibaba', 'https://100.100.100.200/'],
  ['a benchmark network', 'https://198.18.0.1:0/'],
  ['IETF protocol assignments', 'https://192.0.0.1:0/'],
  ['a documentation network', 'https://192.0.2.1:0/'],
  ['IPv6 loopback', 'https://[::1]:0/'],
  ['the unspecified IPv6 address', 'https://[::]:0/'],
  ['an IPv4-mapped address', 'https://[::ffff:127.0.0.1]:0/'],
  ['an IPv4-mapped private address', 'https://[::ffff:10.0.0.1]:0/'],
  ['an IPv4-mapped public address', 'https://[::ffff:93.184.216.34]:0/'],
  ['an IPv4-compatible address', 'https://[::127.0.0.1]:0/'],
  ['an unassigned address', 'https://[4000::1]:0/'],
  ['an IPv4-translated address', 'https://[::ffff:0:127.0.0.1]:0/'],
  ['NAT64', 'https://[64:ff9b::7f00:1]:0/'],
  ['local NAT64', 'https://[64:ff9b:1::7f00:1]:0/'],
  ['6to4', 'https://[2002:7f00:1::]:0/'],
  ['Teredo', 'https://[2001:0:7f00:1::]:0/'],
  ['IPv6 link-local', 'https://[fe80::1]:0/'],
  ['IPv6 link-local with a zone', 'https://[fe80::1%25lo]:0/'],
  ['unique local', 'https://[fd00:ec2::254]/latest/meta-data/'],
  ['site-local', 'https://[fec0::1]:0/'],
  ['IPv6 multicast', 'https://[ff02::1]:0/'],
  ['localhost', 'https://localhost:0/'],
  ['localhost with a dot', 'https://localhost.:0/'],
  ['localhost in capitals', 'https://LOCALHOST:0/'],
  ['a sub-domain of localhost', 'https://erp.localhost:0/'],
  ['a name without a domain', 'https://mongodb:27017/'],
  ['a percent-encoded address', 'https://%31%32%37.0.0.1:0/'],
  ['fullwidth digits', 'https://１２７.０.０.１:0/'],
  ['an ideographic full stop', 'https://127。0。0。1:0/'],
  ['enclosed letters', 'https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:0/'],
  ['credentials', 'https://user:secret@127.0.0.1:0/'],
  ['an empty user', 'https://@127.0.0.1:0/'],
  ['a backslash', 'https://127.0.0.1:0\\@erp.example.com/'],
  ['no slash', 'https:127.0.0.1:0/'],
  ['a line break', 'https://127.0.0.1\n:0/'],
  ['a tab', 'https://127.0.\t0.1:0/'],
  ['http', 'http://127.0.0.1:0/'],
  ['http to a public name', 'http://erp.example.com/'],
  ['HTTPS in capitals', 'HTTPS://127.0.0.1:0/'],
  ['ftp', 'ftp://127.0.0.1:0/'],
  ['file', 'file:///etc/passwd'],
  ['a UNIX socket', 'unix:/var/run/docker.sock'],
  ['no scheme', '//127.0.0.1:0/'],
  ['a port that is too high', 'https://127.0.0.1:65536/'],
];
const withPort = (url: string) => url.replace(/:0(?=[/\\]|$)/, `:${listener.port}`);

/** Not connected to: forbidden, without an address, or invalid. */
const refused = /The address is not public|ENOTFOUND|EBADNAME|ERR_INVALID_(URL|PROTOCOL)/;

describe('a hostile URL', () => {
  it.each(hostileUrls)('is rejected on creation: %s', async (_what, template) => {
    const url = withPort(template);
    expectFieldError(await organization.call('post', '/webhook-endpoints').send({ url }), 'url');
  });

  // A URL that was stored before a rule became stricter.
  it.each(hostileUrls)('is not connected to, also if it is stored: %s', async (_what, template) => {
    resolved = [];
    const sender = newSender();
    for (const scheme of ['http:', 'https:']) {
      const url = withPort(template).replace(/^https?:/i, scheme);
      const { attempt } = await sendTo(sender, url);
      expect(attempt.statusCode).toBeUndefined();
      expect(attempt.error).toMatch(refused);
    }
    expect(listener.connections).toBe(0);
  });
});

describe('a name', () => {
  const url = () => `https://rebinding.example.com:${listener.port}/`;

  beforeEach(() => mockNameServer.asked.splice(0));

  it.each([
    ['the loopback address', ['127.0.0.1']],
    ['a private address', ['192.168.0.1']],
    ['the metadata service', ['169.254.169.254']],
    ['the IPv6 loopback address', ['::1']],
    ['an IPv4-mapped address', ['::ffff:127.0.0.1']],
    ['an IPv4-compatible address', ['::7f00:1']],
    ['a NAT64 address', ['64:ff9b::7f00:1']],
    ['a NAT64 address of a private network', ['64:ff9b::a00:1']],
    ['a 6to4 address', ['2002:7f00:1::']],
    ['an unassigned address', ['4000::1']],
    ['a public and a private address', ['93.184.216.34', '127.0.0.1']],
    ['a private and a public address', ['::1', '2606:2800:220:1:248:1893:25c8:1946']],
  ])('that resolves to %s at connect time is not connected to', async (_what, addresses) => {
    resolved = addresses;
    // Accepted, because its addresses can change at any time.
    await organization
      .call('post', '/webhook-endpoints')
      .send({ url: url() })
      .expect((response) => {
        expect([201, 409]).toContain(response.status);
      });
    for (const each of [url(), url().replace('https:', 'http:')]) {
      const { attempt } = await sendTo(newSender(), each);
      expect(attempt.error).toBe('The address is not public');
    }
    // The addresses that were checked are those that would have been connected to: one question for each family.
    expect(mockNameServer.asked).toHaveLength(4);
    expect(listener.connections).toBe(0);
  });

  it('that resolves to this machine is connected to if private addresses are allowed', async () => {
    resolved = ['127.0.0.1'];
    const closing = await TcpListener.start((socket) => void socket.end());
    const sender = newSender({ WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' });
    const { attempt } = await sendTo(sender, `http://rebinding.example.com:${closing.port}/`);
    expect(attempt.error).toMatch(/socket hang up|ECONNRESET/);
    expect(closing.connections).toBe(1);
    await closing.stop();
  });

  it('whose name servers do not respond delays only three others, once, and no other organization', async () => {
    for (const each of ['a', 'b', 'c', 'd', 'other']) silentNames.add(`${each}.example.com`);
    resolved = [];
    const clock = new FixedClock();
    const sender = newSender({}, clock);
    const organizationId = newRecordId();
    const { asked } = mockNameServer;
    const send = async (name: string, of = organizationId) =>
      (await sendTo(sender, `https://${name}.example.com/`, of)).attempt.error;
    const sent = Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => send(name)));
    await eventually('four are asked for', () => new Set(asked).size === 4);
    const other = send('other', newRecordId());
    await eventually('that of another organization is', () => asked.includes('other.example.com'));
    expect(new Set(asked).size).toBe(5);
    const silent = expect.stringMatching(/^The name servers of the host did not respond/) as unknown;
    expect(await sent).toEqual([silent, silent, silent, silent, 'ENOTFOUND', 'ENOTFOUND']);
    expect(await other).toEqual(silent);
    // Not asked again for two minutes, by no organization.
    asked.splice(0);
    expect([await send('a'), await send('a', newRecordId())]).toEqual([silent, silent]);
    expect(asked).toEqual([]);
    clock.advance(121_000);
    silentNames.clear();
    expect(await send('a')).toBe('ENOTFOUND');
  });
});

describe('the machine of a developer', () => {
  it('is reached with the embedded database, by a name or an address, but no other private address', async () => {
    resolved = ['127.0.0.1'];
    const closing = await TcpListener.start((socket) => void socket.end());
    const sender = newSender({ MONGODB_URI: '' });
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      const { attempt } = await sendTo(sender, `http://${host}:${closing.port}/`);
      expect(attempt.error).toMatch(/socket hang up|ECONNRESET/);
    }
    expect(closing.connections).toBe(3);
    for (const host of ['10.0.0.1', 'mongodb', 'rebinding.example.com', '[::ffff:127.0.0.1]']) {
      const { attempt } = await sendTo(sender, `http://${host}:${closing.port}/`);
      expect(attempt.error).toBe('The address is not public');
    }
    await closing.stop();
  });
});
