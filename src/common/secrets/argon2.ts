import argon2 from 'argon2';

/** OWASP's second choice for argon2id: 19 MiB, 2 passes, 1 lane; about 20 ms. */
const options = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** The argon2id hash of a secret, as a PHC string. */
export async function hashSecret(secret: string): Promise<string> {
  const hash = await argon2.hash(secret, options);
  // The library writes m, p, t; the format of argon2's PHC strings is m, t, p, and other libraries read no other order.
  return hash.replace(/\$(m=\d+),(p=\d+),(t=\d+)\$/, '$$$1,$3,$2$$');
}

/** True where the secret is the one that was hashed. */
export function verifySecret(hash: string, secret: string): Promise<boolean> {
  return argon2.verify(hash, secret);
}
