import { Injectable } from '@nestjs/common';
import type { AdminContext, Tenant } from '../../access/request-context.js';
import { formatCursor, parseCursor } from '../../database/cursor-page.js';
import { invalidField, ServiceError } from '../../errors/service-error.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import type { FieldChange, HistoryEntry, HistoryQuery, HistoryResponse } from './history.dto.js';
import { type HistoryRecord, HistoryRepository } from './history.repository.js';
import { historySources, type RecordChange, revisionOfChange } from './history.schema.js';

@Injectable()
export class HistoryService {
  constructor(
    private readonly history: HistoryRepository,
    private readonly organizations: OrganizationsService,
    private readonly audit: AuditTrail,
  ) {}

  /** Returns a page of the changes of a record of any organization, and records in the audit log that a player was read. */
  async listForAdmin(admin: AdminContext, organizationId: string, record: HistoryRecord, query: HistoryQuery) {
    const tenant = await this.organizations.tenantFor(admin, organizationId);
    const throwMissing = () => Promise.reject(new ServiceError(`${record.kind}NotFound`));
    const page = await this.list(tenant, record, query, throwMissing);
    if (record.kind === 'player') await this.audit.recordReads(admin, organizationId, [record.id]);
    return page;
  }

  /**
   * Returns a page of the changes of a record, deleted or not, newest first.
   * @param throwMissing throws the error if the organization has no such record
   * @throws ServiceError 40001 for a cursor of another history
   */
  async list(
    tenant: Tenant,
    record: HistoryRecord,
    { cursor, limit }: HistoryQuery,
    throwMissing: () => Promise<unknown>,
  ): Promise<HistoryResponse> {
    if (!(await this.history.exists(tenant, record))) await throwMissing();
    const list = JSON.stringify([tenant.organization.id, '/history', record.kind, record.id]);
    const before = cursor === undefined ? undefined : parseRevision(cursor, list);
    const found = await this.history.findNewest(tenant, record, limit + 1, before);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const data = await this.toEntries(tenant, record, page);
    if (found.length <= limit || last === undefined) return { data };
    return { data, nextCursor: formatCursor(String(revisionOfChange(last)), list) };
  }

  /** Adds the values before each change, which are those of earlier ones: on the page, or else before it. */
  private async toEntries(tenant: Tenant, record: HistoryRecord, page: readonly RecordChange[]) {
    const oldest = page.at(-1);
    if (oldest === undefined) return [];
    const { fields, toJson } = historySources[record.kind];
    const isWritten = (name: string) => page.some(({ values, isComplete = false }) => isComplete || name in values);
    const written = oldest.action === 'created' ? [] : fields.filter(isWritten);
    const before = await this.history.findValues(tenant, record, revisionOfChange(oldest), written);
    const known = new Map(Object.entries(withNull(toJson(before), Object.keys(before))));
    let expected = revisionOfChange(oldest);
    const entries = page.toReversed().map((change): HistoryEntry => {
      const { values, isComplete = false, action, at, changedBy } = change;
      const revision = revisionOfChange(change);
      // Without the changes between, no value before is known.
      if (revision !== expected) known.clear();
      expected = revision + 1;
      const names = fields.filter((name) => isComplete || name in values);
      const changes: FieldChange[] = [];
      for (const [field, to] of Object.entries(withNull(toJson(values), names))) {
        const from = action === 'created' ? null : known.get(field);
        known.set(field, to);
        if (isEqual(from, to)) continue;
        changes.push({ field, ...(action !== 'created' && from !== undefined && { from }), to });
      }
      return { revision, at, changedBy, action, changes };
    });
    return entries.reverse();
  }
}

/** Picks values by name, in this order: null for those that are absent. */
function withNull(json: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, json[name] ?? null]));
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function parseRevision(cursor: string, list: string): number {
  const revision = parseCursor(cursor, list);
  if (revision !== undefined) return Number(revision);
  throw invalidField('cursor', 'cursor must be the nextCursor of a page of this history');
}
