import { readFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { BatchedWriter } from '../../database/batched-writer.js';
import { CursorPage } from '../../database/cursor-page.js';
import { newRecordId, toRecordId } from '../../database/record.js';
import type { ApiRequest } from '../../http/api-request.js';
import { publicDocumentFile } from '../../http/pages.js';
import { clientAddress } from '../../http/client-address.js';
import { routePattern } from '../../http/request-head.js';
import type { FailedRequestListResponse, ListFailedRequestsQuery } from './usage.dto.js';
import type { FailedRequestRecord } from './failed-request.schema.js';
import { FailedRequestsRepository } from './failed-requests.repository.js';
import { UsageService } from './usage.service.js';

/** How many requests of a key each process stores per minute. The usage counts all. */
const maxPerMinute = 60;
/** How many may wait for the database; further ones are lost. */
const maxPending = 1_000;
/** The names in the public document, read once they are needed. */
let documented: ReadonlySet<string> | undefined;

/** Stores the failed requests of known API keys in batches, and lists them. */
@Injectable()
export class FailedRequests extends BatchedWriter<FailedRequestRecord> {
  private minute = 0;
  /** The number of stored requests of this minute by key. */
  private counts = new Map<string, number>();

  constructor(
    private readonly requests: FailedRequestsRepository,
    private readonly usage: UsageService,
    private readonly clock: Clock,
  ) {
    super('Failed requests', 1_000);
  }

  /** Records a request that got an error, if it names a known key. */
  readonly record = (request: ApiRequest): void => {
    const { rejectedKey, knownKey: key = rejectedKey, error, requestId: traceId, operation = '', method } = request;
    if (key === undefined || error === undefined) return;
    const { entry, message, details } = error;
    const address = clientAddress(request) || undefined;
    if (key === rejectedKey) this.usage.recordRejection(rejectedKey, entry.code, address);
    // A forgotten job with an old secret must not displace the failures of the working one.
    if (!this.isWithinLimits(key === rejectedKey ? `${key.id} rejected` : key.id)) return;
    const { id, name, keyPrefix, organizationId } = key;
    const _id = newRecordId();
    this.pending.set(String(_id), {
      ...{ _id, at: this.clock.now(), traceId, organizationId: toRecordId(organizationId) },
      ...{ apiKey: { id, name, keyPrefix }, operation, method, route: routePattern(request) ?? '' },
      ...{ status: Math.floor(entry.code / 100), error: entry.code },
      // The first of the details can repeat what the client sent.
      message: details === undefined ? message : entry.message,
      ...(details && { fields: [...new Set(details.map(({ field }) => withoutUnknown(field)))] }),
      ...(rejectedKey && { reason: rejectedKey.reason }),
      address,
      durationMs: Math.round((performance.now() - request.arrivedAt) * 10) / 10,
    });
  };

  /** Returns a page of the requests that match, newest first. */
  async list(query: ListFailedRequestsQuery): Promise<FailedRequestListResponse> {
    const page = new CursorPage(undefined, query, 'failed-requests', this.clock.now());
    const { data, end } = await this.requests.findNewest(page.filters, page.start);
    return { data: data.map(({ _id, ...request }) => request), ...page.next(end) };
  }

  protected store(requests: ReadonlyMap<string, FailedRequestRecord>): Promise<void> {
    return this.requests.insert([...requests.values()]);
  }

  private isWithinLimits(name: string): boolean {
    const minute = Math.floor(this.clock.now().getTime() / 60_000);
    if (minute !== this.minute) this.counts = new Map();
    this.minute = minute;
    const count = (this.counts.get(name) ?? 0) + 1;
    this.counts.set(name, count);
    return count <= maxPerMinute && this.pending.size < maxPending;
  }
}

/** Returns the path of a field without names that no field has: the client has made them up, and they could be a secret. */
function withoutUnknown(path: string): string {
  const known = (documented ??= new Set(readFileSync(publicDocumentFile, 'utf8').match(/(?<=")[\w-]+(?=")/g)));
  const segments = path.split('.').map((segment) => {
    const [, name = '', index = ''] = /^(.*?)(\[\d{1,4}\])?$/s.exec(segment) ?? [];
    return (known.has(name) ? name : '…') + index;
  });
  return segments.join('.');
}
