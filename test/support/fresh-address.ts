import { randomInt } from 'node:crypto';

/** Returns a loopback address that no other test uses, because failed logins are counted by address. */
export function freshAddress(): string {
  return `127.${randomInt(4, 255)}.${randomInt(255)}.${randomInt(1, 255)}`;
}
