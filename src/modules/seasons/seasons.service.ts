import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import { Clock } from '../../config/clock.js';
import type { Actor, Tenant, RequestContext } from '../../access/request-context.js';
import { assertFound, invalidField, ServiceError } from '../../errors/service-error.js';
import { type ListPage, mapPage, type Page } from '../../http/paging.js';
import { jsonMapper } from '../../validation/dto.js';
import { CursorPage } from '../../database/cursor-page.js';
import { adminIdOf, assertRevision, changesOf, type RecordId, toRecordId } from '../../database/record.js';
import { Transactions } from '../../database/transaction.js';
import { changedByOf } from '../../records/changed-by.js';
import { newFields, newRecord } from '../../records/synced-record.schema.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import type {
  CreateAnySeason,
  CreateSeason,
  ListAllSeasonsQuery,
  ListSeasonsQuery,
  SeasonResponse,
  UpdateSeason,
} from './season.dto.js';
import { type AnySeasonRecord, Season } from './season.schema.js';
import { SeasonsRepository } from './seasons.repository.js';
import type { StandingsRules } from './standings-rules.schema.js';

const toResponse: (season: Season) => SeasonResponse = jsonMapper(Season);

/** Returns the stored ID of a season, or throws 40404, or 40302 for a season of another organization. */
export type SeasonLookup = (id: string) => RecordId;

@Injectable()
export class SeasonsService {
  constructor(
    private readonly seasons: SeasonsRepository,
    private readonly organizations: OrganizationsService,
    private readonly transactions: Transactions,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** Lists shared seasons and the organization's own. */
  async list(tenant: Tenant, query: ListSeasonsQuery): Promise<ListPage<SeasonResponse>> {
    const page = new CursorPage(tenant.organization.id, query, 'seasons', this.clock.now());
    const found = await this.seasons.findVisible(tenant, page.filters.externalId, page.start);
    return page.toResponse(found, toResponse);
  }

  /** Returns a shared season or one of the organization's own. @throws ServiceError 40404 for any other */
  async get(tenant: Tenant, id: string): Promise<SeasonResponse> {
    return toResponse(assertFound(await this.seasons.findVisibleById(tenant, id), 'seasonNotFound'));
  }

  /** Lists the seasons of an organization, or of all. */
  async listAll(query: ListAllSeasonsQuery): Promise<Page<SeasonResponse>> {
    if (query.organizationId !== undefined) await this.organizations.get(query.organizationId);
    return mapPage(await this.seasons.findAny(query), toResponse);
  }

  /** Creates a season of the caller's organization, once per `idem-key`. */
  async createOwn(context: RequestContext, input: CreateSeason): Promise<SeasonResponse> {
    assertDates(input, 'endDate');
    const record = Object.assign(newRecord(context, this.clock), input);
    const response = toResponse(record);
    const organizationId = context.organization.id;
    const { _id: id, name } = response;
    const event = { action: 'createSeason', id, organizationId, name, changes: input } as const;
    await this.audit.recordWith(context, event, (session) =>
      this.seasons.insertIdempotent(context, record, context.idempotencyKey, response, session),
    );
    context.onRevision?.(record.revision);
    return response;
  }

  /** Creates a season for one organization or for all. */
  async create(actor: Actor, { organizationId, ...input }: CreateAnySeason): Promise<SeasonResponse> {
    assertDates(input, 'endDate');
    if (organizationId !== undefined) await this.organizations.getWritable(organizationId);
    const createdBy = adminIdOf(actor);
    const record: AnySeasonRecord = {
      ...input,
      ...newFields(actor, this.clock),
      ...(organizationId !== undefined && { organizationId: toRecordId(organizationId) }),
      ...(createdBy && { createdBy }),
    };
    const { _id, name } = record;
    const event = { action: 'createSeason', id: String(_id), organizationId, name, changes: input } as const;
    await this.audit.recordWith(actor, event, (session) => this.seasons.insert(record, session));
    return toResponse(record);
  }

  /**
   * Changes a season: keys only those of their organization, admins any. Records only fields that get another value. A
   * season that another request changes concurrently is read again, because both transactions conflict.
   */
  async update(actor: Actor | RequestContext, id: string, input: UpdateSeason): Promise<SeasonResponse> {
    const { startDate: newStart, endDate: newEnd } = input;
    if (newStart && newEnd) assertDates({ startDate: newStart, endDate: newEnd }, 'endDate');
    const season = await this.transactions.run(actor, async (session) => {
      const current = assertFound(await this.seasons.findAnyById(id, session), 'seasonNotFound');
      if ('apiKey' in actor && String(current.organizationId) !== actor.organization.id) {
        const message = 'Only super admins can change shared seasons and seasons of other organizations';
        throw new ServiceError('resourceForbidden', { message });
      }
      assertRevision(actor, current);
      const { startDate = current.startDate, endDate = current.endDate } = input;
      assertDates({ startDate, endDate }, input.endDate === undefined ? 'startDate' : 'endDate');
      const changes = changesOf(current, input);
      if (Object.keys(changes).length === 0) return current;
      const organizationId = current.organizationId?.toHexString();
      const update = { ...changes, updatedAt: this.clock.now(), changedBy: changedByOf(actor) };
      const updated = await this.seasons.updateAnyById(id, update, session, 'apiKey' in actor ? actor : undefined);
      const event = { action: 'updateSeason', id, organizationId, name: current.name } as const;
      await this.audit.record(actor, { ...event, changes, before: current }, session);
      return updated ?? current;
    });
    if ('apiKey' in actor) actor.onRevision?.(season.revision);
    return toResponse(season);
  }

  /**
   * Looks up seasons with at most one query. Returns a function that returns the stored ID of one of them if it is shared or
   * belongs to the organization.
   * @throws ServiceError (the returned function) 40404 for an unknown season, 40302 for a season of another organization
   */
  async lookUp(tenant: Tenant, ids: readonly string[]): Promise<SeasonLookup> {
    const owners = await this.seasons.findOwners(ids);
    return (id) => {
      const owner = assertFound(owners.get(id), 'seasonNotFound');
      if (owner === 'shared' || owner === tenant.organization.id) return toRecordId(id);
      throw new ServiceError('resourceForbidden');
    };
  }

  /** Returns the rules of a season's standings, uncached: a change applies at once. @throws ServiceError as `lookUp` */
  async getRules(tenant: Tenant, id: string): Promise<StandingsRules> {
    (await this.lookUp(tenant, [id]))(id);
    return (await this.seasons.findVisibleById(tenant, id))?.standings ?? {};
  }
}

function assertDates({ startDate, endDate }: Pick<Season, 'startDate' | 'endDate'>, field: string): void {
  if (endDate <= startDate) throw invalidField(field, 'endDate must be after startDate');
}
