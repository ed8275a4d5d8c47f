import type dns from 'node:dns/promises';
import { parseConfiguration } from '../../src/config/configuration.js';
import { newRecordId } from '../../src/database/record.js';
import { CreateWebhookEndpoint } from '../../src/modules/webhooks/webhook.dto.js';
import { WebhookHosts } from '../../src/modules/webhooks/webhook-hosts.js';
import { FixedClock } from '../support/application.js';
import { NameServer } from '../support/name-server.js';
import { eventually } from '../support/processes.js';
import { rejectionOf } from '../support/validated.js';
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

const configuration = parseConfiguration({ MONGODB_URI: 'mongodb://127.0.0.1/unused' });
const hosts = new WebhookHosts(configuration, new FixedClock());
let listener: TcpListener;

beforeAll(async () => {
  listener = await TcpListener.start();
  mockNameServer = await NameServer.start((name) => (silentNames.has(name) ? null : resolved));
});
afterAll(() => {
  mockNameServer.stop();
  return listener.stop();
});

/** Returns why an organization cannot create an endpoint with a URL, if so. */
const problemOf = async (url: string) =>
  (await rejectionOf(CreateWebhookEndpoint, { url }))?.message ?? hosts.problemOf(url);

/** Hosts that must not be reached: this machine or its network, in every form. */
const hostileHosts: readonly (readonly [what: string, hosts: string])[] = [
  ['loopback', '127.0.0.1 127.1 2130706433 017700000001 127.0.0.1. %31%32%37.0.0.1 １２７.０.０.１ 127。0。0。1'],
  ['this network, broadcast, multicast and reserved', '0.0.0.0 0.1.2.3 255.255.255.255 224.0.0.1 240.0.0.1'],
  ['private networks, and behind a shared address', '10.0.0.1 172.16.0.1 192.168.0.1 100.64.0.1'],
  ['link-local, and the metadata services', '169.254.1.1 169.254.169.254 100.100.100.200 [fd00:ec2::254]'],
  ['networks for benchmarks, protocols and documentation', '198.18.0.1 192.0.0.1 192.0.2.1'],
  ['IPv6 that is not public', '[::1] [::] [4000::1] [fe80::1] [fe80::1%25lo] [fec0::1] [ff02::1]'],
  [
    'IPv4 mapped to IPv6',
    '[::ffff:127.0.0.1] [::ffff:10.0.0.1] [::ffff:93.184.216.34] [::127.0.0.1] [::ffff:0:127.0.0.1]',
  ],
  ['IPv4 behind a translation', '[64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2001:0:7f00:1::]'],
  ['names of this machine or its network', 'localhost localhost. LOCALHOST erp.localhost ⓛⓞⓒⓐⓛⓗⓞⓢⓣ mongodb'],
];
/** URLs that must not be accepted; `:0` becomes the port of the listener. */
const hostileUrls: readonly (readonly [what: string, url: string])[] = [
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

describe('a hostile URL is neither accepted nor, if it was stored before, connected to', () => {
  const sender = newSender();

  /** Also with http, which may have been stored where private addresses are allowed. */
  const expectRefused = async (template: string) => {
    resolved = [];
    expect([template, await problemOf(withPort(template))]).toEqual([template, expect.any(String)]);
    for (const scheme of ['http:', 'https:']) {
      const { attempt } = await sendTo(sender, withPort(template).replace(/^https?:/i, scheme));
      expect(attempt.statusCode).toBeUndefined();
      expect(attempt.error).toMatch(refused);
    }
    expect(listener.connections).toBe(0);
  };

  it.each(hostileHosts)('with a host: %s', async (_what, names) => {
    for (const name of names.split(' ')) await expectRefused(`https://${name}:0/`);
  });

  it.each(hostileUrls)('with %s', async (_what, url) => {
    await expectRefused(url);
  });
});

describe('a name', () => {
  const url = () => `https://rebinding.example.com:${listener.port}/`;

  beforeEach(() => mockNameServer.asked.splice(0));

  it.each([
    ['the loopback address', ['127.0.0.1']],
    ['an IPv4-mapped address', ['::ffff:127.0.0.1']],
    ['a NAT64 address', ['64:ff9b::7f00:1']],
    ['a public and a private address', ['93.184.216.34', '127.0.0.1']],
    ['a private and a public address', ['::1', '2606:2800:220:1:248:1893:25c8:1946']],
  ])('that resolves to %s at connect time is not connected to', async (_what, addresses) => {
    resolved = addresses;
    // Accepted, because its addresses can change at any time.
    expect(await problemOf(url())).toBeUndefined();
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
