import argon2 from 'argon2';
import type { ServiceError } from '../errors/service-error.js';
import { SecretHasher } from './secret-hasher.js';

jest.mock('argon2');

it('serves admins, logins from known networks and keys while logins from new networks beyond 9 are rejected', async () => {
  const verifying: string[] = [];
  jest.mocked(argon2.hash).mockResolvedValue('hash');
  jest.mocked(argon2.verify).mockImplementation((_hash, secret) => {
    verifying.push(String(secret));
    return secret === 'guess' ? new Promise<boolean>(() => undefined) : Promise.resolve(true);
  });
  const hasher = new SecretHasher();
  const fromNewNetworks = Array.from({ length: 10 }, () => hasher.verifyPassword('', 'guess', 'newNetwork'));
  // Those that wait are rejected after the test.
  void Promise.allSettled(fromNewNetworks);
  const codeOf = (work?: Promise<unknown>) => work?.catch((error: unknown) => (error as ServiceError).entry.code);
  expect(await codeOf(fromNewNetworks[9])).toBe(50302);

  expect(await hasher.hash('secret')).toBe('hash');
  expect(await hasher.verifyPassword('', 'password', 'knownNetwork')).toBe(true);
  expect(await hasher.verifyPassword('', 'current password', 'admins')).toBe(true);
  expect(await hasher.verifyKey('ffk_live_1', '', 'key')).toBe(true);
  expect(verifying).toEqual(['guess', 'password', 'current password', 'key']);
});
