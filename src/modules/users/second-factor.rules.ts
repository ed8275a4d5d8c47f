import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

const recoveryCodeCount = 10;
const nonceLength = 12;
const tagLength = 16;

/** A key that encrypts secrets. Its `id` identifies it without revealing it. */
export interface EncryptionKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** Derives a key for AES-256 from a text of any length. */
export function deriveKey(text: string): EncryptionKey {
  const derived = Buffer.from(hkdfSync('sha256', text, '', 'second factors', 40));
  return { id: derived.subarray(32).toString('hex'), bytes: derived.subarray(0, 32) };
}

/** Encrypts a secret with AES-256-GCM, so that it can be decrypted only for the same user. */
export function encryptSecret(secret: string, { bytes }: EncryptionKey, userId: string): string {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv('aes-256-gcm', bytes, nonce).setAAD(Buffer.from(userId));
  const encrypted = [cipher.update(secret), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...encrypted]).toString('base64');
}

/** @throws Error if another key or user encrypted it */
export function decryptSecret(encrypted: string, { bytes }: EncryptionKey, userId: string): string {
  const data = Buffer.from(encrypted, 'base64');
  const start = nonceLength + tagLength;
  const decipher = createDecipheriv('aes-256-gcm', bytes, data.subarray(0, nonceLength));
  decipher.setAAD(Buffer.from(userId)).setAuthTag(data.subarray(nonceLength, start));
  return Buffer.concat([decipher.update(data.subarray(start)), decipher.final()]).toString();
}

/** Creates a secret of 160 bits, in base32. */
export function createSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** Returns the URI that an app reads from a QR code. */
export function uriOf(secret: string, email: string): string {
  return totpOf(secret, email).toString();
}

/** Returns the time step of a code, the current one or one before or after it, or undefined for a wrong code. */
export function stepOf(code: string, secret: string, now: Date): number | undefined {
  const totp = totpOf(secret);
  const timestamp = now.getTime();
  const drift = totp.validate({ token: normalizeCode(code), timestamp, window: 1 });
  return drift === null ? undefined : totp.counter({ timestamp }) + drift;
}

function totpOf(secret: string, label = ''): TOTP {
  return new TOTP({ secret: Secret.fromBase32(secret), issuer: 'Flag Football', label });
}

/** Creates recovery codes of 80 bits, such as `ABCD-EFGH-JKLM-NPQR`. */
export function createRecoveryCodes(): string[] {
  const create = () => new Secret({ size: 10 }).base32.replace(/.{4}(?!$)/g, '$&-');
  return Array.from({ length: recoveryCodeCount }, create);
}

/** Returns the hash to store of a recovery code. A fast one is enough, because the codes are random. */
export function hashRecoveryCode(code: string): string {
  return hash('sha256', normalizeCode(code), 'base64');
}

/** Returns whether a code has the form of an app's; others are recovery codes. */
export function isAppCode(code: string): boolean {
  return /^\d{6}$/.test(normalizeCode(code));
}

/** Removes what people type between the parts of a code. */
function normalizeCode(code: string): string {
  return code.replace(/[\s-]/g, '').toUpperCase();
}
