import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { type ApiKeyScope, apiKeyScopes } from '../../access/public-api.js';
import { isNetwork } from '../../http/client-address.js';
import { DateField, TextField, TextListField } from '../../validation/fields.js';
import { CreatedAtField, OrganizationIdField, type RecordId, storage } from '../../database/record.js';

const maxAddressLength = 50;

/** An API key of an organization, without its secret. */
export class ApiKey {
  @TextField({ description: 'The name of the key.', max: 120, example: 'Registration platform', required: true })
  name!: string;

  @OrganizationIdField('The organization that the key belongs to.')
  organizationId!: RecordId;

  @TextField({
    description: 'The start of the key: enough to identify it, but not to use it.',
    max: 44,
    example: 'ffk_live_4fK2mZ81pQxT',
    required: true,
    immutable: true,
  })
  keyPrefix!: string;

  @TextListField({
    description:
      'The scopes of the key; `players:*` includes every scope of players. `changes:read` and the scopes of webhooks show records of every kind, players included. Omit to allow everything. A request that needs another scope returns 403 (`40305`).',
    example: ['teams:read', 'players:*'],
    response: { description: 'The scopes of the key. Omitted if the key allows everything.' },
    maxItems: apiKeyScopes.length,
    omitTo: 'to allow everything',
    items: { enum: [...apiKeyScopes], enumName: 'ApiKeyScope' },
    clearable: true,
  })
  scopes?: ApiKeyScope[];

  @TextListField({
    description:
      'The client addresses that may use the key: IPv4 or IPv6 addresses, or networks in CIDR notation. Omit to allow every address. A request from another address returns 403 (`40306`).',
    example: ['203.0.113.7', '2001:db8::/32'],
    response: { description: 'The addresses and networks that may use the key. Omitted if every address may.' },
    maxItems: 50,
    omitTo: 'to allow every address',
    entryProblem: addressProblem,
    items: { maxLength: maxAddressLength },
    clearable: true,
  })
  allowedAddresses?: string[];

  @DateField({
    description: 'When the key expires. It must be in the future. Omit for a key that does not expire.',
    example: '2028-01-01T00:00:00Z',
    response: { description: 'When the key expires. Omitted if it does not expire.' },
    clearable: true,
  })
  expiresAt?: Date;

  @DateField({
    description: 'When the key was last used, accurate to about a minute.',
    example: '2027-05-01T10:00:00Z',
  })
  lastUsedAt?: Date;

  @TextField({ description: 'The IP address of that use.', max: maxAddressLength, example: '203.0.113.7' })
  lastUsedFrom?: string;

  @DateField({
    description:
      'When the secret from before the last rotation was last used since then, accurate to about a minute. Omitted after its grace period.',
    example: '2027-04-01T21:00:00Z',
  })
  previousSecretUsedAt?: Date;

  @DateField({ description: 'When the key was last rotated.', example: '2027-04-01T09:00:00Z' })
  rotatedAt?: Date;

  @CreatedAtField()
  createdAt!: Date;
}

function addressProblem(value: string): string | undefined {
  if (value.length > maxAddressLength) return `must have at most ${maxAddressLength} characters`;
  return isNetwork(value) ? undefined : 'must be an address or a network, such as 203.0.113.7 or 2001:db8::/32';
}

export interface StoredSecret {
  /** argon2id, as a PHC string. */
  readonly secretHash: string;
  /** Rejects most wrong secrets without argon2: see `secretTagOf`. */
  readonly secretTag?: string | undefined;
}

/** The secret before the last rotation, which works until its grace period ends. */
interface PreviousSecret extends StoredSecret {
  readonly expiresAt: Date;
}

@Schema({ collection: 'apiKeys', ...storage })
export class ApiKeyRecord extends ApiKey implements StoredSecret {
  _id!: RecordId;
  @Prop({ type: String }) readonly secretHash!: string;
  @Prop({ type: String }) readonly secretTag?: string | undefined;
  @Prop({ type: 'Mixed' }) previous?: PreviousSecret | null;
  @Prop({ type: String }) status!: 'active' | 'revoked';
  /** The super admin who created the key. Undefined if an operator or the server did. */
  @Prop({ type: 'ObjectId', immutable: true }) createdBy?: RecordId | undefined;
  @Prop({ type: Date }) revokedAt?: Date;
  @Prop({ type: 'ObjectId' }) lastRotatedBy?: RecordId;
  @Prop({ type: Date }) updatedAt!: Date;
}

/** A key in lists, without its secrets. */
export type ListedKey = ApiKey &
  Pick<ApiKeyRecord, '_id' | 'status' | 'updatedAt' | 'createdBy' | 'lastRotatedBy'> & {
    readonly previous?: Pick<PreviousSecret, 'expiresAt'> | null;
  };

export const apiKeySchema = SchemaFactory.createForClass(ApiKeyRecord);

// Serves the look-up of a presented key.
apiKeySchema.index({ keyPrefix: 1 }, { name: 'one_key_per_prefix', unique: true });
// Serves the list of an organization's keys in order of creation.
apiKeySchema.index({ organizationId: 1, createdAt: 1, _id: 1 }, { name: 'keys_of_organization' });
// Serves the removal of previous secrets whose grace period is over.
apiKeySchema.index({ 'previous.expiresAt': 1 }, { name: 'keys_with_previous_secret', sparse: true });
// Serves the list of the keys of all organizations in order of creation. Its filters are checked in the index.
apiKeySchema.index({ createdAt: 1, _id: 1, status: 1, expiresAt: 1, lastUsedAt: 1 }, { name: 'keys_by_creation' });
