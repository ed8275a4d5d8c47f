import argon2 from 'argon2';

/** OWASP's second choice for argon2id: 19 MiB, 2 passes, 1 lane; about 20 ms. */
const options = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** The argon2id hash of a secret, as a PHC string. */
export function hashSecret(secret: string): Promise<string> {
  return argon2.hash(secret, options);
}

/** True where the secret is the one that was hashed. */
export function verifySecret(hash: string, secret: string): Promise<boolean> {
  return argon2.verify(hash, secret);
}
