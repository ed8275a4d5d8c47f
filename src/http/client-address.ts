import { isIPv6 } from 'node:net';
import type { Application, Request } from 'express';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** An address followed by a port, as some proxies write it. */
const withPort = /^(?:(\d+(?:\.\d+){3})|\[([^\]]+)\]):\d{1,5}$/;

/** Prefix length of one customer's IPv6 network; the customer chooses the remaining bits freely. */
const ipv6NetworkBits = 64;

/**
 * Returns the client's address in its shortest form, or an empty string if it is unknown. IPv4-mapped addresses
 * (`::ffff:203.0.113.7`) become IPv4. Behind a proxy, `TRUST_PROXY` decides which address counts.
 */
export function clientAddress(request: Pick<Request, 'ip'>): string {
  const ip = request.ip ?? '';
  const [, v4, v6] = withPort.exec(ip) ?? [];
  return parse(v4 ?? v6 ?? ip)?.toString() ?? '';
}

/** Returns true if `TRUST_PROXY` trusts a client of this server as a proxy. */
export function isProxy(app: Pick<Application, 'get'>, address: string): boolean {
  const trusts = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  return trusts(address, 0);
}

/** Returns true if the request comes from this machine, or from a trusted proxy on its own behalf. */
export function isDirect({ app, headers, socket: { remoteAddress = '' } }: Request): boolean {
  if (headers['x-forwarded-for'] !== undefined) return false;
  return isProxy(app, remoteAddress) || isWithin(remoteAddress, ['127.0.0.0/8', '::1']);
}

/** Returns the group that failures are counted for: an IPv4 address, or the /64 network of an IPv6 address. */
export function addressGroup(address: string): string {
  const parsed = parse(address);
  if (parsed === undefined) return address;
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${ipv6NetworkBits}`).toString()}/${ipv6NetworkBits}`;
}

/** Returns true for an IPv4 address (four decimal parts), an IPv6 address, or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  return parseNetwork(text) !== undefined;
}

/** Returns true if an address is in one of the networks, which are addresses or CIDR blocks. */
export function isWithin(address: string, networks: readonly string[]): boolean {
  const parsed = parse(address);
  return networks.some((network) => {
    const range = parseNetwork(network);
    return parsed !== undefined && range?.[0].kind() === parsed.kind() && parsed.match(range);
  });
}

/** Parses complete addresses only; the library also accepts `127.1`, `0x7f000001` and `::ffff:0x7f.0.0.1`. */
function parse(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  // The zone (`fe80::1%eth0`) is local to one machine and not part of the address; the library rejects some zones.
  const [withoutZone = ''] = text.split('%');
  if (!isIPv6(withoutZone)) return undefined;
  // The library would read the IPv6 address `::203.0.113.7` as the IPv4-mapped `::ffff:203.0.113.7`.
  const address = ipaddr.IPv6.parse(withoutZone.replace(/^::(?=\d+\.)/, '0:0:0:0:0:0:'));
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** Parses a CIDR block. A block of IPv4-mapped addresses becomes the corresponding IPv4 block. */
function parseNetwork(text: string): [Address, number] | undefined {
  const [base = '', bits, ...rest] = text.split('/');
  const address = parse(base);
  if (address === undefined || rest.length > 0) return undefined;
  const whole = address.kind() === 'ipv4' ? 32 : 128;
  if (bits === undefined) return [address, whole];
  const mapped = address.kind() === 'ipv4' && base.includes(':');
  const length = /^\d{1,3}$/.test(bits) ? Number(bits) - (mapped ? 96 : 0) : Number.NaN;
  return length >= 0 && length <= whole ? [address, length] : undefined;
}
