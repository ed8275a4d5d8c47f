import { randomUUID } from 'node:crypto';
import type request from 'supertest';
import { ObjectId } from 'mongodb';
import type { AuditEventRecord } from '../../src/modules/audit/audit-event.schema.js';
import type { RunningServer } from './server.js';

/** An event in a response. */
export interface AuditEvent {
  _id: string;
  at: string;
  action: string;
  outcome: string;
  error?: number;
  actor: { kind: string; _id?: string; email?: string; role?: string };
  organizationId?: string;
  target?: { kind: string; _id?: string };
  changes?: Record<string, unknown>;
  address?: string;
  requestId?: string;
}

interface AuditPage {
  data: AuditEvent[];
  nextCursor?: string;
}

/** Builds a stored event of a new organization. */
export function buildAuditEvent(fields: Partial<AuditEventRecord> = {}): AuditEventRecord {
  return {
    _id: new ObjectId(),
    at: new Date(),
    action: 'rotateApiKey',
    outcome: 'success',
    actor: { kind: 'cli' },
    organizationId: new ObjectId(),
    ...fields,
  };
}

/** Stores events directly, which no route can do. */
export async function storeEvents(server: RunningServer, events: readonly AuditEventRecord[]): Promise<void> {
  await (await server.database()).collection<AuditEventRecord>('auditEvents').insertMany([...events]);
}

/** Reads one page; an example of a query is `limit=5`. */
export async function auditPage(server: RunningServer, query = ''): Promise<AuditPage> {
  return (await server.asSuperAdmin('get', `/audit-events?${query}`).expect(200)).body as AuditPage;
}

/** Reads all pages by cursor, and runs `between` after each. */
export async function auditPages(
  server: RunningServer,
  query: string,
  between: () => Promise<void> = () => Promise.resolve(),
): Promise<AuditPage[]> {
  const pages: AuditPage[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const page: AuditPage = await auditPage(server, cursor === '' ? query : `${query}&cursor=${cursor}`);
    pages.push(page);
    cursor = page.nextCursor;
    if (pages.length > 1_000) throw new Error('The pages do not end');
    await between();
  }
  return pages;
}

/** Adds a request ID, by which the events of the request can be found. */
export function withRequestId(call: request.Test): { call: request.Test; id: string } {
  const id = randomUUID();
  return { call: call.set('X-Request-Id', id), id };
}

/** The events of one request. */
export async function eventsOfRequest(server: RunningServer, requestId: string): Promise<AuditEvent[]> {
  return (await auditPage(server, 'limit=100')).data.filter((event) => event.requestId === requestId);
}

/** Counts the stored events of one request, however many came later. */
export async function countEventsOfRequest(server: RunningServer, requestId: string): Promise<number> {
  return (await server.database()).collection('auditEvents').countDocuments({ requestId });
}
