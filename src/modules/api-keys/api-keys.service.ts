import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import { Clock } from '../../common/clock.js';
import type { Author } from '../../common/context/request-context.js';
import { errorCatalogue } from '../../common/errors/error-catalogue.js';
import { invalidField, ServiceError } from '../../common/errors/service-error.js';
import type { Page, PageQuery } from '../../common/http/paging.js';
import { SecretHasher } from '../../common/secrets/secret-hasher.js';
import { Configuration } from '../../common/config/configuration.js';
import { adminIdOf, newRecordId, toRecordId } from '../../database/record.js';
import { type Session, Transactions } from '../../database/transaction.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { UsersService } from '../users/users.service.js';
import { formatApiKey, newKeyPrefix, newSecret, secretTagOf } from './api-key-format.js';
import { type ApiKeyResponse, type ApiKeyWithSecretResponse, toApiKeyResponse } from './api-key.response.js';
import type { ApiKeyRecord } from './api-key.schema.js';
import { ApiKeysRepository, type KeyInUse, type ListedKey, type Rotation } from './api-keys.repository.js';
import type { CreateApiKey, RotateApiKey } from './dto/api-key.requests.js';

/** The life of API keys: made, listed, rotated, revoked. Only super admins and operators reach it. */
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

  /**
   * Makes a key; the only answer, beside a rotation's, that has its secret.
   * @throws ServiceError 40406 for an unknown organization, 40001 where it would be expired at once
   */
  async create(author: Author, input: CreateApiKey): Promise<ApiKeyWithSecretResponse> {
    const now = this.clock.now();
    const { name, scopes, allowedAddresses, expiresAt } = input;
    if (expiresAt !== undefined && expiresAt <= now) {
      throw invalidField('expiresAt', 'expiresAt must lie in the future');
    }
    await this.organizations.demand(input.organizationId);
    const secret = newSecret();
    const createdBy = adminIdOf(author);
    const limits = {
      ...(scopes && { scopes }),
      ...(allowedAddresses && { allowedAddresses }),
      ...(expiresAt && { expiresAt }),
    };
    const record: ApiKeyRecord = {
      _id: newRecordId(),
      organizationId: toRecordId(input.organizationId),
      name,
      keyPrefix: newKeyPrefix(this.configuration.liveKeyPrefix),
      secretHash: await this.secrets.hash(secret),
      secretTag: secretTagOf(secret),
      ...limits,
      status: 'active',
      ...(createdBy && { createdBy }),
      createdAt: now,
      updatedAt: now,
    };
    await this.transactions.run(author, async (session) => {
      await this.keys.insert(record, session);
      await this.recordChange(author, 'createApiKey', record, limits, session);
    });
    return this.withSecret(record, secret);
  }

  /**
   * A page of an organization's keys.
   * @throws ServiceError 40406 for an unknown organization
   */
  async list(organizationId: string, page: PageQuery): Promise<Page<ApiKeyResponse>> {
    await this.organizations.demand(organizationId);
    const { data, total } = await this.keys.findOfOrganization(organizationId, page);
    const names = await this.users.namesOf(data.flatMap(actorsOf));
    return { data: data.map((key) => toApiKeyResponse(key, names, this.clock.now())), total };
  }

  /**
   * Revokes a key for good, with every secret of it; again is no fault.
   * @throws ServiceError 40405 for an unknown key
   */
  async revoke(author: Author, id: string): Promise<void> {
    await this.demand(id);
    await this.transactions.run(author, async (session) => {
      const revoked = await this.keys.revoke(id, this.clock.now(), session);
      if (revoked !== null) await this.recordChange(author, 'revokeApiKey', revoked, {}, session);
    });
  }

  /**
   * Gives a key a new secret. The old one is dead when this returns, or works for `graceSeconds` more; one that was in
   * grace before is dead either way, so that at most two are alive.
   * @throws ServiceError 40405 for an unknown key, 40903 for a revoked one, 40904 where it was rotated meanwhile
   */
  async rotate(author: Author, id: string, { graceSeconds }: RotateApiKey): Promise<ApiKeyWithSecretResponse> {
    const outgoing = await this.demand(id);
    if (outgoing.status === 'revoked') throw new ServiceError(errorCatalogue.apiKeyRevoked);
    const secret = newSecret();
    const hashed = { secretHash: await this.secrets.hash(secret), secretTag: secretTagOf(secret) };
    const rotated = await this.transactions.run(author, async (session) => {
      const rotation = { ...hashed, ...rotationBy(author, this.clock.now(), outgoing, graceSeconds) };
      const changed = await this.keys.rotate(outgoing, rotation, session);
      if (changed !== null) await this.recordChange(author, 'rotateApiKey', changed, { graceSeconds }, session);
      return changed;
    });
    if (rotated !== null) return this.withSecret(rotated, secret);
    const { status } = await this.demand(id);
    throw new ServiceError(status === 'revoked' ? errorCatalogue.apiKeyRevoked : errorCatalogue.changedMeanwhile);
  }

  /**
   * Ends the grace of the secret before the last rotation at once; where there is none, that is no fault.
   * @throws ServiceError 40405 for an unknown key
   */
  async endGracePeriod(author: Author, id: string): Promise<void> {
    await this.demand(id);
    await this.transactions.run(author, async (session) => {
      const ended = await this.keys.endGrace(id, this.clock.now(), session);
      if (ended !== null) await this.recordChange(author, 'endGracePeriod', ended, {}, session);
    });
  }

  private async recordChange(
    author: Author,
    action: string,
    { _id, organizationId, name, keyPrefix }: Pick<ListedKey, '_id' | 'organizationId' | 'name' | 'keyPrefix'>,
    changes: Readonly<Record<string, unknown>>,
    session: Session,
  ): Promise<void> {
    const target = { kind: 'apiKey', id: String(_id) } as const;
    const facts = { name, keyPrefix, ...changes };
    const change = { action, target, organizationId: String(organizationId), changes: facts };
    await this.audit.recordChange(author, change, session);
  }

  private async demand(id: string): Promise<KeyInUse> {
    const key = await this.keys.findInUse(id);
    if (key === null) throw new ServiceError(errorCatalogue.apiKeyNotFound);
    return key;
  }

  private async withSecret(key: ListedKey, secret: string): Promise<ApiKeyWithSecretResponse> {
    const names = await this.users.namesOf(actorsOf(key));
    const apiKey = formatApiKey({ keyPrefix: key.keyPrefix, secret });
    return Object.assign(toApiKeyResponse(key, names, this.clock.now()), { apiKey });
  }
}

/** What a rotation writes beside the new secret. */
function rotationBy(
  author: Author,
  now: Date,
  { secretHash, secretTag }: KeyInUse,
  graceSeconds: number,
): Omit<Rotation, 'secretHash' | 'secretTag'> {
  const rotatedBy = adminIdOf(author);
  const expiresAt = new Date(now.getTime() + graceSeconds * 1_000);
  const previous = { secretHash, ...(secretTag !== undefined && { secretTag }), expiresAt };
  return { rotatedAt: now, ...(graceSeconds > 0 && { previous }), ...(rotatedBy && { rotatedBy }) };
}

function actorsOf(key: Pick<ListedKey, 'createdBy' | 'lastRotatedBy'>): string[] {
  return [key.createdBy, key.lastRotatedBy].flatMap((id) => (id === undefined ? [] : [String(id)]));
}
