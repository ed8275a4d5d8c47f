import { Injectable } from '@nestjs/common';
import type { KnownKey } from '../../access/request-context.js';
import { Clock } from '../../config/clock.js';
import { mapPage, type Page } from '../../http/paging.js';
import { BatchedWriter } from '../../database/batched-writer.js';
import { newRecordId, toRecordId } from '../../database/record.js';
import type { ApiRequest, RejectedKey } from '../../http/api-request.js';
import { countOutcome, type OutcomeNames, type RequestCount } from './request-count.schema.js';
import {
  type HourUsageResponse,
  type ListUsageOutcomesQuery,
  type ListUsageQuery,
  type OrganizationUsageResponse,
  toOutcomeResponse,
  type UsageOutcomeResponse,
} from './usage.dto.js';
import { type StoredHour, UsageRepository } from './usage.repository.js';

const hourMilliseconds = 60 * 60 * 1_000;
const writeMilliseconds = 10_000;

/**
 * Counts requests with API keys by organization and hour. Each process stores its own totals instead of increments, so
 * that a write whose response was lost can be repeated.
 */
@Injectable()
export class UsageService extends BatchedWriter<RequestCount> {
  private readonly processId = String(newRecordId());
  private hour = 0;
  /** The counts of the current hour by organization. */
  private counts = new Map<string, RequestCount>();

  constructor(
    private readonly usage: UsageRepository,
    private readonly clock: Clock,
  ) {
    super('The request counts', writeMilliseconds);
  }

  /** Counts a request with a valid key. */
  readonly record = (
    { organizationId, id: apiKeyId }: Pick<KnownKey, 'id' | 'organizationId'>,
    status: number,
    { operation = '', errorCode, errorDetail }: Pick<ApiRequest, 'operation' | 'errorCode' | 'errorDetail'>,
  ): void => {
    const count = this.count(organizationId, { apiKeyId, operation, status, errorCode }, errorDetail);
    count.requests++;
    if (status >= 400) count.errors++;
    if (errorCode !== undefined) count.errorCodes[errorCode] = (count.errorCodes[errorCode] ?? 0) + 1;
  };

  /** Counts a request with a rejected key: not as one of the organization, which cannot prevent it. */
  recordRejection({ organizationId, id: apiKeyId, reason }: RejectedKey, errorCode: number, address?: string): void {
    const status = Math.floor(errorCode / 100);
    this.count(organizationId, { apiKeyId, operation: reason, status, errorCode }, address);
  }

  /** Returns the usage of an organization, or of one of its keys, in each of the last hours. */
  async getOfOrganization(id: string, count: number, apiKeyId?: string): Promise<HourUsageResponse[]> {
    const hours = this.lastHours(count);
    if (apiKeyId !== undefined) return fillHours(hours, await this.usage.findHoursOfKey(id, hours, apiKeyId));
    const { data } = await this.usage.findTop(hours, 1, id);
    return fillHours(hours, data[0]?.hours);
  }

  /** Returns the organizations with the most requests in the last hours. */
  async list({ hours: count, limit }: ListUsageQuery): Promise<Page<OrganizationUsageResponse>> {
    const hours = this.lastHours(count);
    return mapPage(await this.usage.findTop(hours, limit), ({ organization, requests, errors, hours: found }) => {
      const { _id, name } = organization;
      return { organization: { _id: String(_id), name }, requests, errors, hours: fillHours(hours, found) };
    });
  }

  /** Returns a page of the outcomes of an organization's requests in the last hours, the most frequent first. */
  async listOutcomes(id: string, query: ListUsageOutcomesQuery): Promise<Page<UsageOutcomeResponse>> {
    const [since = this.clock.now()] = this.lastHours(query.hours);
    return mapPage(await this.usage.findOutcomes(id, since, query), toOutcomeResponse);
  }

  protected store(counts: ReadonlyMap<string, RequestCount>): Promise<void> {
    return this.usage.store(counts.values());
  }

  private count(id: string, outcome: OutcomeNames, detail: string | undefined): RequestCount {
    const hour = this.currentHour();
    // A clock that is set back does not begin an earlier hour again, because its counts would start at zero.
    if (hour > this.hour) {
      this.hour = hour;
      this.counts = new Map();
    }
    const count: RequestCount = this.counts.get(id) ?? {
      ...{ _id: `${id}.${this.hour}.${this.processId}`, organizationId: toRecordId(id), hour: new Date(this.hour) },
      ...{ requests: 0, errors: 0, errorCodes: {}, outcomes: new Map() },
    };
    this.counts.set(id, count);
    countOutcome(count.outcomes, outcome, detail);
    this.pending.set(count._id, count);
    return count;
  }

  private currentHour(): number {
    const now = this.clock.now().getTime();
    return now - (now % hourMilliseconds);
  }

  /** Returns the beginnings of the last hours, ending with the current one. */
  private lastHours(count: number): Date[] {
    const first = this.currentHour() - (count - 1) * hourMilliseconds;
    return Array.from({ length: count }, (_, index) => new Date(first + index * hourMilliseconds));
  }
}

/** Returns an entry for each hour, with zeros if it has no requests. */
function fillHours(hours: readonly Date[], found: readonly StoredHour[] = []): HourUsageResponse[] {
  const byHour = new Map(found.map((usage) => [usage.hour.getTime(), usage]));
  return hours.map((hour) => {
    const { requests = 0, errors = 0, errorCodes = [] } = byHour.get(hour.getTime()) ?? {};
    const errorsByCode = errorCodes.length > 0 ? sumByCode(errorCodes) : undefined;
    return { hour: hour.toISOString(), requests, errors, errorsByCode };
  });
}

function sumByCode(counts: StoredHour['errorCodes']): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [code, count] of counts.flatMap(Object.entries<number>)) sums[code] = (sums[code] ?? 0) + count;
  return sums;
}
