import { Injectable } from '@nestjs/common';
import { apiKeyScopes } from '../../access/public-api.js';
import type { RequestContext } from '../../access/request-context.js';
import { Clock } from '../../config/clock.js';
import { Configuration } from '../../config/configuration.js';
import { version } from '../../config/package.js';
import { errorCatalogue } from '../../errors/error-catalogue.js';
import { ServiceError } from '../../errors/service-error.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import type { OwnKeyResponse } from './own-key.dto.js';

const everyAddress = ['0.0.0.0/0', '::/0'];

/** Describes the API key of a request. */
@Injectable()
export class OwnKeyService {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly organizations: OrganizationsService,
    private readonly configuration: Configuration,
    private readonly clock: Clock,
  ) {}

  async get({ organization: { id }, apiKey }: RequestContext): Promise<OwnKeyResponse> {
    const [organization, key] = await Promise.all([this.organizations.get(id), this.keys.findById(apiKey.id)]);
    if (key === null) throw new ServiceError(errorCatalogue.invalidApiKey);
    const now = this.clock.now();
    const { name, keyPrefix, scopes = apiKeyScopes, allowedAddresses = everyAddress, expiresAt, previous } = key;
    const graceEnd = previous && previous.expiresAt > now ? previous.expiresAt.toISOString() : undefined;
    return {
      organization: { _id: id, name: organization.name, isSandbox: organization.isSandbox === true },
      key: {
        ...{ name, keyPrefix, scopes, allowedAddresses },
        ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
        ...(graceEnd !== undefined && { previousSecretExpiresAt: graceEnd }),
      },
      limits: { perMinute: this.configuration.rateLimitPerMinute },
      serverTime: now.toISOString(),
      version,
    };
  }
}
