import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import { Clock } from '../../common/clock.js';
import type { Actor, OrganizationScope } from '../../common/context/request-context.js';
import { errorCatalogue } from '../../common/errors/error-catalogue.js';
import { invalidField, ServiceError } from '../../common/errors/service-error.js';
import { type ListPage, type ListQuery, mapPage, type Page, type PageQuery } from '../../common/http/paging.js';
import { jsonMapper } from '../../common/validation/dto.js';
import { CursorPage } from '../../database/cursor-page.js';
import { adminIdOf, newRecordId, type RecordId, toRecordId } from '../../database/record.js';
import { Transactions } from '../../database/transaction.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import type { CreateSeason, SeasonResponse } from './season.dto.js';
import { Season, type SeasonRecord } from './season.schema.js';
import { SeasonsRepository } from './seasons.repository.js';

const toResponse: (season: Season) => SeasonResponse = jsonMapper(Season);

@Injectable()
export class SeasonsService {
  constructor(
    private readonly seasons: SeasonsRepository,
    private readonly organizations: OrganizationsService,
    private readonly transactions: Transactions,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns a page of the shared seasons and the organization's own.
   * @throws ServiceError 40001 for a cursor of another list
   */
  async list(scope: OrganizationScope, query: ListQuery): Promise<ListPage<SeasonResponse>> {
    const page = new CursorPage(scope.organization.id, query, 'seasons', this.clock.now());
    return page.toResponse(await this.seasons.findVisible(scope, page.start), toResponse);
  }

  /** Returns a page of all seasons. */
  async listAll(page: PageQuery): Promise<Page<SeasonResponse>> {
    return mapPage(await this.seasons.findAll(page), toResponse);
  }

  /**
   * Creates a season for one organization or for all.
   * @throws ServiceError 40001 if it ends before it starts, 40406 for an unknown organization, 50301 if the request timed out
   * or the database is not a replica set
   */
  async create(actor: Actor, { organizationId, ...input }: CreateSeason): Promise<SeasonResponse> {
    if (input.endDate <= input.startDate) throw invalidField('endDate', 'endDate must be after startDate');
    if (organizationId !== undefined) await this.organizations.get(organizationId);
    const now = this.clock.now();
    const createdBy = adminIdOf(actor);
    const record: SeasonRecord = {
      ...input,
      _id: newRecordId(),
      ...(organizationId !== undefined && { organizationId: toRecordId(organizationId) }),
      ...(createdBy && { createdBy }),
      createdAt: now,
      updatedAt: now,
    };
    const target = { kind: 'season', id: String(record._id) } as const;
    const event = { action: 'createSeason', target, organizationId, changes: input };
    await this.transactions.run(actor, async (session) => {
      await this.seasons.insert(record, session);
      await this.audit.recordChange(actor, event, session);
    });
    return toResponse(record);
  }

  /**
   * Looks up seasons with at most one query. Returns a function that returns the stored ID of one of them if it is shared or
   * belongs to the organization.
   * @throws ServiceError (the returned function) 40404 for an unknown season, 40302 for a season of another organization
   */
  async lookUp(scope: OrganizationScope, ids: readonly string[]): Promise<(id: string) => RecordId> {
    const owners = await this.seasons.findOwners(ids);
    return (id) => {
      const owner = owners.get(id);
      if (owner === undefined) throw new ServiceError(errorCatalogue.seasonNotFound);
      if (owner === 'shared' || owner === scope.organization.id) return toRecordId(id);
      throw new ServiceError(errorCatalogue.resourceForbidden, {
        message: "The season does not belong to the API key's organization",
      });
    };
  }
}
