import { isIPv6 } from 'node:net';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** An address with the port that some proxies write behind it. */
const withPort = /^(?:(\d+(?:\.\d+){3})|\[([^\]]+)\]):\d{1,5}$/;

/** How many bits of an IPv6 address name the network of one customer; what follows they choose freely. */
const ipv6NetworkBits = 64;

/**
 * The address that a request comes from, in its shortest form; IPv4 also where the socket speaks IPv6
 * (`::ffff:203.0.113.7`). Behind a proxy it is what `TRUST_PROXY` lets the server believe. Empty where there is none.
 */
export function clientAddress(request: Pick<Request, 'ip'>): string {
  const ip = request.ip ?? '';
  const [, v4, v6] = withPort.exec(ip) ?? [];
  return parse(v4 ?? v6 ?? ip)?.toString() ?? '';
}

/** Whom failures are counted for: an IPv4 address, or the /64 network of an IPv6 address. Any other text as it is. */
export function addressGroup(address: string): string {
  const parsed = parse(address);
  if (parsed === undefined) return address;
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${ipv6NetworkBits}`).toString()}/${ipv6NetworkBits}`;
}

/** True for an address, or a network in CIDR notation, of IPv4 (four decimal parts) or IPv6. */
export function isNetwork(text: string): boolean {
  return parseNetwork(text) !== undefined;
}

/** True where an address lies in one of the networks, which are addresses or in CIDR notation. */
export function isWithin(address: string, networks: readonly string[]): boolean {
  const parsed = parse(address);
  return parsed !== undefined && networks.some((network) => contains(network, parsed));
}

function contains(network: string, address: Address): boolean {
  const range = parseNetwork(network);
  return range?.[0].kind() === address.kind() && address.match(range);
}

/** Nothing but whole addresses: the library also reads `127.1`, `0x7f000001`, `2130706433` and `::ffff:0x7f.0.0.1`. */
function parse(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  // The zone (`fe80::1%eth0`) is a name on one machine and no part of the address; the library throws at some of them.
  const [withoutZone = ''] = text.split('%');
  if (!isIPv6(withoutZone)) return undefined;
  // The library would take `::203.0.113.7`, which is IPv6, for the IPv4 address `::ffff:203.0.113.7`.
  const address = ipaddr.IPv6.parse(withoutZone.replace(/^::(?=\d+\.)/, '0:0:0:0:0:0:'));
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** A network of IPv4-mapped addresses becomes the network of IPv4 that it means. */
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
