import fc from 'fast-check';
import { addressGroup, clientAddress, isNetwork, isWithin } from './client-address.js';

fc.configureGlobal({ seed: 20270501, numRuns: 1_000 });

/** The model: an address as a number. */
interface Address {
  readonly width: 32 | 128;
  readonly value: bigint;
}

const mappedPrefix = 0xffffn << 32n; // ::ffff:0.0.0.0
const numberOf = (width: number) => fc.bigInt(0n, (1n << BigInt(width)) - 1n);
const ipv4 = numberOf(32).map((value): Address => ({ width: 32, value }));
const ipv6 = fc
  .oneof(
    numberOf(128),
    // With runs of zeros, which are written as `::`.
    fc.tuple(numberOf(128), numberOf(8)).map(([value, mask]) => value & expanded(mask)),
  )
  .filter((value) => value >> 32n !== 0xffffn)
  .map((value): Address => ({ width: 128, value }));
const addresses = fc.oneof(ipv4, ipv6);

/** Expands each of 8 bits to 16 bits. */
function expanded(mask: bigint): bigint {
  return Array.from(
    { length: 8 },
    (_, group) => ((mask >> BigInt(group)) & 1n) * (0xffffn << BigInt(16 * group)),
  ).reduce((sum, part) => sum | part, 0n);
}

function dotted(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join('.');
}

interface Style {
  readonly leadingZeros: boolean;
  readonly capitals: boolean;
  readonly shortened: boolean;
  readonly dottedEnd: boolean;
  /** IPv4-mapped IPv6. */
  readonly mapped: boolean;
}
const styles = fc.record({
  leadingZeros: fc.boolean(),
  capitals: fc.boolean(),
  shortened: fc.boolean(),
  dottedEnd: fc.boolean(),
  mapped: fc.boolean(),
});

/** Spellings of an address. */
function written({ width, value }: Address, style: Style): string {
  if (width === 32) return style.mapped ? written({ width: 128, value: mappedPrefix | value }, style) : dotted(value);
  const groups = Array.from({ length: 8 }, (_, index) => (value >> BigInt(112 - 16 * index)) & 0xffffn).map((group) =>
    group.toString(16),
  );
  const end = style.dottedEnd ? [dotted(value & 0xffffffffn)] : groups.slice(6);
  const parts = [...groups.slice(0, 6), ...end];
  const start = parts.findIndex((part, index) => part === '0' && parts[index + 1] === '0');
  const padded = parts.map((part) => (style.leadingZeros && !part.includes('.') ? part.padStart(4, '0') : part));
  const text = style.shortened && start >= 0 ? shortened(parts, padded, start) : padded.join(':');
  return style.capitals ? text.toUpperCase() : text;
}

/** With the zeros from an index on as `::`. */
function shortened(parts: readonly string[], padded: readonly string[], start: number): string {
  const run = parts.slice(start).findIndex((part) => part !== '0');
  const end = run < 0 ? parts.length : start + run;
  return `${padded.slice(0, start).join(':')}::${padded.slice(end).join(':')}`;
}

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 45 }),
  fc.string({ unit: fc.constantFrom(...Array.from('0123456789abcdef:./%xX- ')), maxLength: 45 }),
  fc.oneof(
    fc.ipV4Extended(),
    fc.ipV6(),
    fc.tuple(fc.ipV4(), fc.integer()).map(([ip, bits]) => `${ip}/${bits}`),
  ),
);

describe('every address', () => {
  it('has one normalized form for all spellings', () => {
    const check = (address: Address, one: Style, other: Style) => {
      const text = clientAddress({ ip: written(address, one) });
      expect(text).not.toBe('');
      expect(clientAddress({ ip: written(address, other) })).toBe(text);
      expect(clientAddress({ ip: text })).toBe(text);
    };
    fc.assert(fc.property(addresses, styles, styles, check));
  });

  it('is within networks with the same prefix bits, and in none of the other family', () => {
    // The base and the address differ from one bit on, so that both results occur often.
    const pairs = fc.tuple(addresses, addresses, fc.nat(128)).map(([base, other, same]): [Address, Address] => {
      const kept = BigInt(Math.max(0, base.width - same));
      const low = other.value & ((1n << kept) - 1n);
      return [base, other.width === base.width ? { ...base, value: ((base.value >> kept) << kept) | low } : other];
    });
    let inside = 0;
    const check = ([base, address]: [Address, Address], bits: number, style: Style, others: Style) => {
      const length = bits % (base.width + 1);
      const isMapped = base.width === 32 && style.mapped;
      const network = `${written(base, style)}/${length + (isMapped ? 96 : 0)}`;
      const rest = BigInt(base.width - length);
      const expected = address.width === base.width && address.value >> rest === base.value >> rest;
      if (expected) inside++;
      expect(isNetwork(network)).toBe(true);
      expect(isWithin(written(address, others), ['192.0.2.1/32', network])).toBe(
        expected || (address.width === 32 && address.value === 0xc0000201n),
      );
    };
    fc.assert(fc.property(pairs, fc.nat(), styles, styles, check));
    expect(inside).toBeGreaterThan(200);
  });

  it('is a network of one address', () => {
    const check = (one: Address, other: Address, style: Style) => {
      expect(isWithin(written(one, style), [written(one, { ...style, mapped: false })])).toBe(true);
      const isSame = one.width === other.width && one.value === other.value;
      expect(isWithin(written(other, style), [written(one, style)])).toBe(isSame);
    };
    fc.assert(fc.property(addresses, addresses, styles, check));
  });

  it('shares its group with its /64 (IPv6) or with no other address (IPv4)', () => {
    const near = fc.tuple(addresses, numberOf(128), fc.nat(128)).map(([one, noise, shift]): [Address, Address] => {
      const value = one.value ^ ((noise >> BigInt(shift)) & ((1n << BigInt(one.width)) - 1n));
      return [one, { ...one, value }];
    });
    const check = ([one, other]: [Address, Address], style: Style, others: Style) => {
      fc.pre(other.width === 32 || other.value >> 32n !== 0xffffn);
      const shift = one.width === 128 ? 64n : 0n;
      const [first, second] = [addressGroup(written(one, style)), addressGroup(written(other, others))];
      expect(first === second).toBe(one.value >> shift === other.value >> shift);
      expect(addressGroup(first)).toBe(first);
    };
    fc.assert(fc.property(near, styles, styles, check));
  });
});

describe('any text as an address or network', () => {
  it('is consistently an address, a network or neither, and never throws', () => {
    const check = (text: string) => {
      const address = clientAddress({ ip: text });
      expect(clientAddress({ ip: address })).toBe(address);
      const group = addressGroup(text);
      expect(addressGroup(group)).toBe(group);
      expect(isWithin(text, ['0.0.0.0/0', '::/0'])).toBe(address !== '');
      expect(isWithin('203.0.113.7', [text]) && !isNetwork(text)).toBe(false);
      if (address !== '') expect(isNetwork(text)).toBe(true);
    };
    fc.assert(fc.property(anyText, check));
  });
});
