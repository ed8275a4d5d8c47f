let used = 0;

/** An address from which nothing came yet: what one test counts, no other one sees. */
export function freshAddress(): string {
  used++;
  return `127.4.${used >> 8}.${used & 255}`;
}
