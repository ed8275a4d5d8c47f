import { FailedRequestsRepository } from '../../src/modules/usage/failed-requests.repository.js';
import type { TestApplication } from './application.js';
import type { ManyRecords } from './many-records.js';
import { page, query, type QueryCase } from './query-case.js';

/** Queries of failed requests. */
export function failedRequestQueryCases(
  application: TestApplication,
  { tenant, failure, keys, now }: ManyRecords,
): QueryCase[] {
  const requests = application.get(FailedRequestsRepository);
  const organizationId = tenant.organization.id;
  const after = { limit: 20, after: { at: now, id: String(failure) } };
  const by = (index: string, documents = 21) => ({ indexes: [index], documents });
  return [
    query(by('failures_newest_first'), () => requests.findNewest({}, page)),
    query(by('failures_newest_first'), () =>
      requests.findNewest({ from: new Date(now.getTime() - 3_600_000), to: now }, page),
    ),
    query(by('failures_newest_first'), () => requests.findNewest({}, after)),
    query(by('failures_by_trace', 1), () => requests.findNewest({ traceId: 'trace-7' }, page)),
    query(by('failures_of_organization'), () => requests.findNewest({ organizationId }, after)),
    query(by('failures_of_key', 12), () => requests.findNewest({ apiKeyId: String(keys[3]) }, page)),
    query(by('failures_of_key', 12), () =>
      requests.findNewest({ organizationId, apiKeyId: String(keys[3]), error: 40101 }, page),
    ),
    query(by('failures_by_status'), () => requests.findNewest({ status: 403 }, page)),
    query(by('failures_by_error'), () => requests.findNewest({ error: 40305 }, page)),
  ];
}
