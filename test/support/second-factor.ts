import { Secret, TOTP } from 'otpauth';
import type { Response } from 'supertest';
import type { RunningServer } from './server.js';

/** The key of the tests' servers. */
export const secondFactorKey = 'the key of second factors in these tests';

export interface Enrolled {
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
  /** The token after the enrolment. */
  readonly accessToken: string;
}

/** Returns the code that an app shows at a time, moved by so many steps of 30 seconds. */
export function codeOf(secret: string, steps = 0, now = new Date()): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now.getTime() + steps * 30_000 });
}

/** Returns a well-formed code that is right at no time near now. */
export function wrongCodeOf(secret: string, now = new Date()): string {
  const near = [-2, -1, 0, 1, 2].map((steps) => codeOf(secret, steps, now));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.includes(code)) ?? '';
}

/** Sets up a second factor for the token's user. Uses the previous code, so that the current one is still unused. */
export async function enrol(server: RunningServer, token: string, password: string): Promise<Enrolled> {
  const send = (path: string, body: object) =>
    server.call('post', path).set('Authorization', `Bearer ${token}`).send(body);
  const { secret } = (await send('/auth/second-factor', { password }).expect(201)).body as { secret: string };
  const confirmation: Response = await send('/auth/second-factor/confirm', { code: codeOf(secret, -1) });
  return { secret, ...(confirmation.body as Omit<Enrolled, 'secret'>) };
}
