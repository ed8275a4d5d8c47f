import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { invalidField, ServiceError } from '../common/errors/service-error.js';
import type { Page, PageQuery } from '../common/http/paging.js';
import { SecretHasher } from '../common/secrets/secret-hasher.js';
import { Configuration } from '../config/configuration.js';
import { newRecordId, toRecordId } from '../database/record.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { UsersService } from '../users/users.service.js';
import { formatApiKey, newKeyPrefix, newSecret } from './api-key-format.js';
import { type ApiKeyResponse, type ApiKeyWithSecretResponse, toApiKeyResponse } from './api-key.response.js';
import type { ApiKeyRecord } from './api-key.schema.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import type { CreateApiKey } from './dto/api-key.requests.js';

/** The life of API keys: made, listed, rotated, revoked. Only super admins reach it. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly organizations: OrganizationsService,
    private readonly users: UsersService,
    private readonly configuration: Configuration,
    private readonly secrets: SecretHasher,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes a key; the only answer, beside a rotation's, that has its secret.
   * @throws ServiceError 40406 for an unknown organization, 40001 where it would be expired at once
   */
  async create(createdBy: string, input: CreateApiKey): Promise<ApiKeyWithSecretResponse> {
    const now = this.clock.now();
    if (input.expiresAt !== undefined && input.expiresAt <= now) {
      throw invalidField('expiresAt', 'expiresAt must lie in the future');
    }
    await this.organizations.demand(input.organizationId);
    const secret = newSecret();
    const record: ApiKeyRecord = {
      _id: newRecordId(),
      organizationId: toRecordId(input.organizationId),
      name: input.name,
      keyPrefix: newKeyPrefix(this.configuration.liveKeyPrefix),
      secretHash: await this.secrets.hash(secret),
      status: 'active',
      createdBy: toRecordId(createdBy),
      ...(input.expiresAt && { expiresAt: input.expiresAt }),
      createdAt: now,
      updatedAt: now,
    };
    await this.keys.insert(record);
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
   * Revokes a key for good; again is no fault.
   * @throws ServiceError 40405 for an unknown key
   */
  async revoke(id: string): Promise<void> {
    await this.demand(id);
    await this.keys.revoke(id, this.clock.now());
  }

  /**
   * Gives a key a new secret; the old one is dead when this returns.
   * @throws ServiceError 40405 for an unknown key, 40903 for a revoked one
   */
  async rotate(id: string, rotatedBy: string): Promise<ApiKeyWithSecretResponse> {
    await this.demand(id);
    const secret = newSecret();
    const rotated = await this.keys.rotate(id, await this.secrets.hash(secret), rotatedBy, this.clock.now());
    if (rotated === null) throw new ServiceError(errorCatalogue.apiKeyRevoked);
    return this.withSecret(rotated, secret);
  }

  private async demand(id: string): Promise<void> {
    if (!(await this.keys.exists(id))) throw new ServiceError(errorCatalogue.apiKeyNotFound);
  }

  private async withSecret(key: ApiKeyRecord, secret: string): Promise<ApiKeyWithSecretResponse> {
    const names = await this.users.namesOf(actorsOf(key));
    const apiKey = formatApiKey({ keyPrefix: key.keyPrefix, secret });
    return Object.assign(toApiKeyResponse(key, names, this.clock.now()), { apiKey });
  }
}

function actorsOf(key: Pick<ApiKeyRecord, 'createdBy' | 'lastRotatedBy'>): string[] {
  return [key.createdBy, key.lastRotatedBy].flatMap((id) => (id === undefined ? [] : [String(id)]));
}
