import type dns from 'node:dns';
import { expectFieldError } from '../support/expectations.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';
import { newSender, sendTo, TcpListener } from '../support/webhook-sender.js';

type LookupAddress = dns.LookupAddress;
type OnLookup = (error: Error | null, addresses: LookupAddress[]) => void;

/** What `rebinding.example.com` resolves to at the next connections. */
let resolved: LookupAddress[] = [];
const lookups = jest.fn();

jest.mock('node:dns', () => {
  const actual = jest.requireActual<typeof dns>('node:dns');
  const lookup = (name: string, options: dns.LookupOptions, done: OnLookup): void => {
    if (name !== 'rebinding.example.com') {
      actual.lookup(name, { ...options, all: true }, done);
      return;
    }
    lookups();
    process.nextTick(done, null, resolved);
  };
  return { ...actual, lookup };
});

let server: RunningServer;
let organization: TestOrganization;
let listener: TcpListener;

beforeAll(async () => {
  server = await RunningServer.shared();
  [organization, listener] = await Promise.all([createOrganization(server), TcpListener.start()]);
});
afterAll(() => Promise.all([listener.stop(), server.stop()]));

/** URLs that must not reach this machine or its network; `:0` becomes the port of a listener on it. */
const hostileUrls: readonly (readonly [what: string, url: string])[] = [
  ['loopback', 'https://127.0.0.1:0/'],
  ['loopback without a port', 'https://127.0.0.1/'],
  ['another loopback address', 'https://127.8.9.10:0/'],
  ['a short IPv4 address', 'https://127.1:0/'],
  ['a shorter IPv4 address', 'https://0:0/'],
  ['a decimal IPv4 address', 'https://2130706433:0/'],
  ['a hexadecimal IPv4 address', 'https://0x7f000001:0/'],
  ['hexadecimal parts', 'https://0x7f.0x0.0x0.0x1:0/'],
  ['an octal IPv4 address', 'https://017700000001:0/'],
  ['octal parts', 'https://0177.0.0.01:0/'],
  ['mixed parts', 'https://0x7f.1:0/'],
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
  ['the decimal metadata service', 'https://2852039166/latest/meta-data/'],
  ['carrier-grade NAT', 'https://100.64.0.1:0/'],
  ['the metadata service of Alibaba', 'https://100.100.100.200/'],
  ['a benchmark network', 'https://198.18.0.1:0/'],
  ['IETF protocol assignments', 'https://192.0.0.1:0/'],
  ['a documentation network', 'https://192.0.2.1:0/'],
  ['IPv6 loopback', 'https://[::1]:0/'],
  ['IPv6 loopback in full', 'https://[0:0:0:0:0:0:0:1]:0/'],
  ['the unspecified IPv6 address', 'https://[::]:0/'],
  ['an IPv4-mapped address', 'https://[::ffff:127.0.0.1]:0/'],
  ['a hexadecimal IPv4-mapped address', 'https://[::ffff:7f00:1]:0/'],
  ['an IPv4-mapped private address', 'https://[::ffff:10.0.0.1]:0/'],
  ['an IPv4-mapped public address', 'https://[::ffff:93.184.216.34]:0/'],
  ['an IPv4-compatible address', 'https://[::127.0.0.1]:0/'],
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
  ['localhost with two dots', 'https://localhost..:0/'],
  ['localhost in capitals', 'https://LOCALHOST:0/'],
  ['a sub-domain of localhost', 'https://erp.localhost:0/'],
  ['a sub-domain of localhost with a dot', 'https://erp.LocalHost.:0/'],
  ['a name without a domain', 'https://mongodb:27017/'],
  ['a percent-encoded address', 'https://%31%32%37.0.0.1:0/'],
  ['a percent-encoded name', 'https://%6c%6f%63alhost:0/'],
  ['fullwidth digits', 'https://１２７.０.０.１:0/'],
  ['an ideographic full stop', 'https://127。0。0。1:0/'],
  ['enclosed letters', 'https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:0/'],
  ['credentials', 'https://user:secret@127.0.0.1:0/'],
  ['a user that looks like a host', 'https://erp.example.com@127.0.0.1:0/'],
  ['an encoded user', 'https://erp.example.com%40@127.0.0.1:0/'],
  ['an empty user', 'https://@127.0.0.1:0/'],
  ['a backslash', 'https://127.0.0.1:0\\@erp.example.com/'],
  ['backslashes', 'https:\\\\127.0.0.1:0/'],
  ['one slash', 'https:/127.0.0.1:0/'],
  ['no slash', 'https:127.0.0.1:0/'],
  ['three slashes', 'https:///127.0.0.1:0/'],
  ['a line break', 'https://127.0.0.1\n:0/'],
  ['a tab', 'https://127.0.\t0.1:0/'],
  ['http', 'http://127.0.0.1:0/'],
  ['http to a public name', 'http://erp.example.com/'],
  ['HTTP in capitals', 'HTTP://127.0.0.1:0/'],
  ['HTTPS in capitals', 'HTTPS://127.0.0.1:0/'],
  ['ftp', 'ftp://127.0.0.1:0/'],
  ['file', 'file:///etc/passwd'],
  ['gopher', 'gopher://127.0.0.1:0/'],
  ['data', 'data:text/plain,x'],
  ['javascript', 'javascript:alert(1)'],
  ['a UNIX socket', 'unix:/var/run/docker.sock'],
  ['no scheme', '//127.0.0.1:0/'],
  ['a port that is too high', 'https://127.0.0.1:65536/'],
];
const withPort = (url: string) => url.replace(/:0(?=[/\\]|$)/, `:${listener.port}`);

/** Not connected to: forbidden, without an address, invalid, or without a route (`::/96`). */
const refused = /The address is not public|ENOTFOUND|EAI_AGAIN|ERR_INVALID_(URL|PROTOCOL)|E(HOST|NET)UNREACH/;

describe('a hostile URL', () => {
  it.each(hostileUrls)('is rejected on creation: %s', async (_what, template) => {
    const url = withPort(template);
    expectFieldError(await organization.call('post', '/webhook-endpoints').send({ url }), 'url');
  });

  // A URL that was stored before a rule became stricter.
  it.each(hostileUrls)('is not connected to, also if it is stored: %s', async (_what, template) => {
    const sender = newSender();
    for (const scheme of ['http:', 'https:']) {
      const url = withPort(template).replace(/^https?:/i, scheme);
      const { attempt } = await sendTo(sender, url);
      expect(attempt.statusCode).toBeUndefined();
      expect(attempt.error).toMatch(refused);
    }
    expect(listener.connections).toBe(0);
  });

  it('is rejected in an update', async () => {
    const url = 'https://erp.example.com/';
    const created = await organization.call('post', '/webhook-endpoints').send({ url }).expect(201);
    const change = (to: string) =>
      organization.call('patch', `/webhook-endpoints/${(created.body as Stored)._id}`).send({ url: to });
    for (const [, hostile] of hostileUrls) expectFieldError(await change(withPort(hostile)), 'url');
  });
});

describe('a name', () => {
  const url = () => `https://rebinding.example.com:${listener.port}/`;
  const address = (text: string) => ({ address: text, family: text.includes(':') ? 6 : 4 });

  beforeEach(() => lookups.mockClear());

  it.each([
    ['the loopback address', ['127.0.0.1']],
    ['a private address', ['192.168.0.1']],
    ['the metadata service', ['169.254.169.254']],
    ['the IPv6 loopback address', ['::1']],
    ['an IPv4-mapped address', ['::ffff:127.0.0.1']],
    ['a NAT64 address', ['64:ff9b::7f00:1']],
    ['a public and a private address', ['93.184.216.34', '127.0.0.1']],
    ['a private and a public address', ['::1', '2606:2800:220:1:248:1893:25c8:1946']],
  ])('that resolves to %s at connect time is not connected to', async (_what, addresses) => {
    resolved = addresses.map(address);
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
    // The addresses that were checked are those that would have been connected to.
    expect(lookups).toHaveBeenCalledTimes(2);
    expect(listener.connections).toBe(0);
  });

  it('that resolves to this machine is connected to if private addresses are allowed', async () => {
    resolved = [address('127.0.0.1')];
    const closing = await TcpListener.start((socket) => void socket.end());
    const sender = newSender({ WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' });
    const { attempt } = await sendTo(sender, `http://rebinding.example.com:${closing.port}/`);
    expect(attempt.error).toMatch(/socket hang up|ECONNRESET/);
    expect(closing.connections).toBe(1);
    await closing.stop();
  });
});
