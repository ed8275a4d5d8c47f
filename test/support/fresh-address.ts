import { randomInt } from 'node:crypto';

/** A loopback address that no other test sends from, so that their failed logins do not count together. */
export function freshAddress(): string {
  return `127.${randomInt(4, 255)}.${randomInt(255)}.${randomInt(1, 255)}`;
}
