import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { Configuration } from '../../config/configuration.js';
import { apiKeyScopes } from '../../access/public-api.js';
import type { Actor, RequestContext } from '../../access/request-context.js';
import { version } from '../../config/package.js';
import { assertFound, invalidField, ServiceError } from '../../errors/service-error.js';
import type { Page } from '../../http/paging.js';
import { SecretHasher } from '../../access/secret-hasher.js';
import { adminIdOf, assertChangeTime, changesOf, changeTimeOf } from '../../database/record.js';
import { newRecordId, toRecordId } from '../../database/record.js';
import { type Session, Transactions } from '../../database/transaction.js';
import { AuditTrail, type Change } from '../audit/audit-trail.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { UsersService } from '../users/users.service.js';
import { formatApiKey, newKeyPrefix, newSecret, secretTagOf } from './api-key-format.js';
import {
  type ApiKeyResponse,
  type ApiKeyWithSecretResponse,
  type CreateApiKey,
  graceEndOf,
  type ListApiKeysQuery,
  type OwnKeyResponse,
  type RotateApiKey,
  toApiKeyResponse,
  type UpdateApiKey,
} from './api-key.dto.js';
import type { ApiKeyRecord, ListedKey } from './api-key.schema.js';
import { ApiKeysRepository } from './api-keys.repository.js';

const everyAddress = ['0.0.0.0/0', '::/0'];

@Injectable()
export class ApiKeysService {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly organizations: OrganizationsService,
    private readonly users: UsersService,
    private readonly transactions: Transactions,
    private readonly audit: AuditTrail,
    private readonly configuration: Configuration,
    private readonly secrets: SecretHasher,
    private readonly clock: Clock,
  ) {}

  /** Warns of active keys with other prefixes than the configured ones: nobody can use them. */
  async warnOfOtherPrefixes(): Promise<void> {
    const { liveKeyPrefix, testKeyPrefix } = this.configuration;
    const other = await this.keys.findOtherPrefix([liveKeyPrefix, testKeyPrefix]);
    if (other === undefined) return;
    const expected = `${liveKeyPrefix} (LIVE_KEY_PREFIX) or ${testKeyPrefix} (TEST_KEY_PREFIX)`;
    new Logger('ApiKeys').warn(`Active keys, such as ${other}…, are rejected: they do not begin with ${expected}`);
  }

  /** Creates a key. Only the responses of this method and of `rotate` contain a secret. */
  async create(actor: Actor, input: CreateApiKey): Promise<ApiKeyWithSecretResponse> {
    const now = this.clock.now();
    const { organizationId, ...fields } = input;
    assertInFuture(fields.expiresAt, now);
    const { isSandbox } = await this.organizations.getWritable(organizationId);
    const { liveKeyPrefix, testKeyPrefix } = this.configuration;
    const secret = newSecret();
    const record: ApiKeyRecord = {
      ...fields,
      _id: newRecordId(),
      organizationId: toRecordId(organizationId),
      keyPrefix: newKeyPrefix(isSandbox === true ? testKeyPrefix : liveKeyPrefix),
      ...(await this.hash(secret)),
      status: 'active',
      createdBy: adminIdOf(actor),
      createdAt: now,
      updatedAt: now,
    };
    const insert = (session: Session) => this.keys.insert(record, session).then(() => record);
    await this.change(actor, 'createApiKey', insert, fields);
    return this.withSecret(record, secret);
  }

  /** Returns a page of the keys that match, of one organization or of all. */
  async list(query: ListApiKeysQuery): Promise<Page<ApiKeyResponse>> {
    if (query.organizationId !== undefined) await this.organizations.get(query.organizationId);
    const disabled = query.organizationDisabled === undefined ? undefined : await this.organizations.findOutOfService();
    const { data, total } = await this.keys.findPage(query, this.clock.now(), disabled);
    return { data: await this.toResponses(data), total };
  }

  async getResponse(id: string): Promise<ApiKeyResponse> {
    return this.toResponse(await this.get(id));
  }

  /** Describes the key of a request. */
  async describe({ organization, apiKey }: RequestContext): Promise<OwnKeyResponse> {
    const { id } = organization;
    const [owner, key] = await Promise.all([this.organizations.get(id), this.get(apiKey.id)]);
    const now = this.clock.now();
    const { name, keyPrefix, scopes = apiKeyScopes, allowedAddresses = everyAddress, expiresAt } = key;
    return {
      organization: { _id: id, name: owner.name, isSandbox: owner.isSandbox === true },
      key: {
        ...{ name, keyPrefix, scopes, allowedAddresses },
        ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
        previousSecretExpiresAt: graceEndOf(key, now),
      },
      limits: { perMinute: this.configuration.rateLimitPerMinute },
      serverTime: now.toISOString(),
      version,
    };
  }

  /** Changes the name, the limits and the expiry of a key. Records only fields that get another value. */
  async update(actor: Actor, id: string, input: UpdateApiKey): Promise<ApiKeyResponse> {
    const now = this.clock.now();
    assertInFuture(input.expiresAt, now);
    const key = await this.transactions.run(actor, async (session) => {
      const before = await this.get(id, session);
      assertChangeTime(actor, before);
      if (before.status === 'revoked') throw new ServiceError('apiKeyRevoked');
      const changes = changesOf<ApiKeyRecord>(before, input);
      if (Object.keys(changes).length === 0) return before;
      const updated = await this.keys.updateById(id, { ...changes, updatedAt: changeTimeOf(before, now) }, session);
      const after = updated ?? before;
      await this.audit.record(actor, { ...toChange(after, 'updateApiKey', changes), before }, session);
      return after;
    });
    return this.toResponse(key);
  }

  /** Revokes a key permanently, with all its secrets. Does nothing if it is already revoked. */
  async revoke(actor: Actor, id: string): Promise<void> {
    await this.get(id);
    const revoke = (session: Session) => {
      const now = this.clock.now();
      return this.keys.updateById(id, { status: 'revoked', revokedAt: now, previous: null, updatedAt: now }, session);
    };
    await this.change(actor, 'revokeApiKey', revoke);
  }

  /**
   * Gives a key a new secret. The current one becomes the previous one, which stops working before this returns, or after
   * `graceSeconds`. An earlier one stops working in any case, so that at most two work.
   */
  async rotate(actor: Actor, id: string, { graceSeconds }: RotateApiKey): Promise<ApiKeyWithSecretResponse> {
    const current = await this.get(id);
    if (current.status === 'revoked') throw new ServiceError('apiKeyRevoked');
    const secret = newSecret();
    const hashed = await this.hash(secret);
    const replace = (session: Session) => {
      const now = this.clock.now();
      const { secretHash, secretTag } = current;
      const previous = { secretHash, secretTag, expiresAt: new Date(now.getTime() + graceSeconds * 1_000) };
      const changes = {
        ...hashed,
        previous: graceSeconds > 0 ? previous : null,
        lastRotatedBy: adminIdOf(actor) ?? null,
        rotatedAt: now,
        updatedAt: now,
      };
      // Matches no key that was rotated or revoked concurrently.
      return this.keys.updateById(id, changes, session, { secretHash });
    };
    const rotated = await this.change(actor, 'rotateApiKey', replace, { graceSeconds });
    if (rotated !== null) return this.withSecret(rotated, secret);
    const { status } = await this.get(id);
    throw new ServiceError(status === 'revoked' ? 'apiKeyRevoked' : 'apiKeyRotatedConcurrently');
  }

  /** Ends the grace period of the previous secret. Does nothing outside of a grace period. */
  async endGracePeriod(actor: Actor, id: string): Promise<void> {
    await this.get(id);
    const end = (session: Session) => this.keys.endGracePeriod(id, this.clock.now(), session);
    await this.change(actor, 'endGracePeriod', end);
  }

  /**
   * Changes a key together with the audit event.
   * @param update returns the key after the change, or null if nothing was changed
   * @param details of the change, for the event
   */
  private change(
    actor: Actor,
    action: Change['action'],
    update: (session: Session) => Promise<ListedKey | null>,
    details?: object,
  ): Promise<ListedKey | null> {
    return this.audit.recordWith(actor, (key) => (key === null ? undefined : toChange(key, action, details)), update);
  }

  private async get(id: string, session?: Session): Promise<ApiKeyRecord> {
    return assertFound(await this.keys.findById(id, session), 'apiKeyNotFound');
  }

  private async hash(secret: string) {
    return { secretHash: await this.secrets.hash(secret), secretTag: secretTagOf(secret) };
  }

  private async withSecret(key: ListedKey, secret: string): Promise<ApiKeyWithSecretResponse> {
    const apiKey = formatApiKey({ keyPrefix: key.keyPrefix, secret });
    return Object.assign(await this.toResponse(key), { apiKey });
  }

  private async toResponse(key: ListedKey): Promise<ApiKeyResponse> {
    const [response] = await this.toResponses([key]);
    return assertFound(response ?? null, 'apiKeyNotFound');
  }

  private async toResponses(keys: readonly ListedKey[]): Promise<ApiKeyResponse[]> {
    const admins = keys.flatMap(({ createdBy, lastRotatedBy }) => [createdBy, lastRotatedBy]);
    const [users, disabled, named] = await Promise.all([
      this.users.findNames(admins.filter((id) => id !== undefined).map(String)),
      this.organizations.findOutOfService(keys.map(({ organizationId }) => String(organizationId))),
      this.organizations.withNames(keys),
    ]);
    const now = this.clock.now();
    return named.map((key) => toApiKeyResponse(key, users, disabled, now));
  }
}

function toChange(
  { _id, organizationId, name, keyPrefix }: ListedKey,
  action: Change['action'],
  details?: object,
): Change {
  const changes = { name, keyPrefix, ...details };
  return { action, id: String(_id), organizationId: String(organizationId), name, changes };
}

function assertInFuture(expiresAt: Date | null | undefined, now: Date): void {
  if (expiresAt && expiresAt <= now) throw invalidField('expiresAt', 'expiresAt must be in the future');
}
