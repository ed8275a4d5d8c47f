import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';
import { Clock } from '../../config/clock.js';
import { Configuration } from '../../config/configuration.js';

type HostKind = 'public' | 'loopback' | 'private';

/** How many look-ups of an organization run concurrently. All of its ten endpoints get their turn within 15 s. */
const lookupsAtOnce = 4;
const lookupMilliseconds = 4_000;
const pauseMinutes = 2;
/** A name server did not respond, or another one says so. */
const slowCodes: readonly (string | undefined)[] = ['ETIMEOUT', 'ECANCELLED', 'ESERVFAIL'];
const publicIpv6 = ipaddr.parseCIDR('2000::/3');

/** Decides which hosts webhooks may reach, and resolves their names. */
@Injectable()
export class WebhookHosts {
  private readonly limits = new LRUCache<string, LimitFunction>({ max: 10_000 });
  private readonly slowNames: LRUCache<string, true>;

  constructor(
    private readonly configuration: Configuration,
    clock: Clock,
  ) {
    const perf = { now: () => clock.now().getTime() };
    this.slowNames = new LRUCache({ max: 10_000, ttl: pauseMinutes * 60_000, ttlResolution: 0, perf });
  }

  /** Returns why no request can be sent to a URL. */
  problemOf(url: string): string | undefined {
    const { protocol, username, password, hostname } = new URL(url);
    if (username !== '' || password !== '') return 'must not contain credentials';
    const kind = kindOf(hostname);
    if (kind !== 'public') return this.mayReach(kind) ? undefined : 'must have a public host';
    const { allowPrivateAddresses } = this.configuration.webhooks;
    return protocol === 'https:' || allowPrivateAddresses ? undefined : 'must be an https URL';
  }

  /** @throws Error if the host of a URL is a local name or an address that must not be reached */
  assertReachable(url: string): void {
    if (!this.mayReach(kindOf(new URL(url).hostname))) throw new Error('The address is not public');
  }

  /** Returns the look-up of connections that send webhooks of an organization. It must be called with `all`. */
  lookupFor(organizationId: string): LookupFunction {
    const resolve = callbackify((name: string) => this.resolve(name, organizationId));
    return (name, _options, done) => resolve(name, done);
  }

  /** Checks the addresses of each connection, because a name can resolve to another one at any time. */
  private async resolve(name: string, organizationId: string): Promise<LookupAddress[]> {
    const kind = kindOf(name);
    const isAllowed = ({ address }: LookupAddress) =>
      this.configuration.webhooks.allowPrivateAddresses || kindOf(address) === kind;
    // Only the operating system knows local names. `assertReachable` rejects them in production.
    const addresses = await (kind === 'public' ? this.query(name, organizationId) : lookup(name, { all: true }));
    if (!addresses.every(isAllowed)) throw new Error('The address is not public');
    return addresses;
  }

  /**
   * Asks the name servers without `dns.lookup`, whose threads the database driver also needs. Only a few look-ups of an
   * organization run concurrently, and a name without a response is not looked up again for minutes.
   */
  private query(name: string, organizationId: string): Promise<LookupAddress[]> {
    const limit = this.limits.get(organizationId) ?? pLimit(lookupsAtOnce);
    this.limits.set(organizationId, limit);
    return limit(async () => {
      const problem = `The name servers of the host did not respond; the next look-up is possible after ${pauseMinutes} min`;
      if (this.slowNames.has(name)) throw new Error(problem);
      const resolver = new Resolver({ timeout: 1_000, tries: 3 });
      const timer = setTimeout(() => resolver.cancel(), lookupMilliseconds);
      const results = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      clearTimeout(timer);
      const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
      if (addresses.length > 0) return addresses.map((address) => ({ address, family: isIP(address) }));
      const errors = results.map((result) => (result as PromiseRejectedResult).reason as NodeJS.ErrnoException);
      const isSlow = errors.some(({ code }) => slowCodes.includes(code));
      if (isSlow) this.slowNames.set(name, true);
      throw new Error(isSlow ? problem : errors[0]?.code);
    });
  }

  private mayReach(kind: HostKind): boolean {
    const { allowPrivateAddresses, allowLoopback } = this.configuration.webhooks;
    return kind === 'public' || allowPrivateAddresses || (allowLoopback && kind === 'loopback');
  }
}

/** Returns where the host of a URL leads. A public name can have private addresses. */
function kindOf(hostname: string): HostKind {
  const host = hostname.replace(/^\[|\]$|\.$/g, '');
  if (isIP(host) === 0) {
    if (/(^|\.)localhost$/.test(host)) return 'loopback';
    return host.includes('.') ? 'public' : 'private';
  }
  const address = ipaddr.parse(host);
  const range = address.range();
  if (range === 'loopback') return 'loopback';
  // Otherwise IPv4-compatible addresses, such as ::7f00:1, and unassigned ones would be public.
  return range === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(publicIpv6)) ? 'public' : 'private';
}
