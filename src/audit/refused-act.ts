import type { ServiceError } from '../common/errors/service-error.js';
import type { ServedRequest } from '../common/http/served-request.js';
import { isRecordId } from '../common/validation/fields.js';
import type { AuditTarget } from './audit-event.schema.js';

/** What a refused request wanted, as far as it names it by ids; whether they exist was perhaps never looked at. */
export interface RefusedAct {
  /** The operation, as the admin document names it. */
  readonly action: string;
  /** The code of the refusal. */
  readonly error: number;
  readonly target?: NamedRecord;
  /** The organization that the request names; without a target, else the admin's own. */
  readonly organizationId?: string;
}

interface NamedRecord {
  readonly kind: AuditTarget['kind'];
  readonly id: string;
}

/** What the id that follows in a path is the id of. */
const kinds: ReadonlyMap<string, AuditTarget['kind']> = new Map([
  ['api-keys', 'apiKey'],
  ['organizations', 'organization'],
  ['users', 'user'],
  ['schedules', 'schedule'],
]);

/**
 * The act of a logged-in admin that a refusal ends; undefined for any other request, and for faults of ours (5xx). Of
 * the query and the body nothing is taken but the `organizationId`.
 */
export function refusedActOf(request: ServedRequest, refusal: ServiceError): RefusedAct | undefined {
  const { adminContext, operation } = request;
  if (adminContext === undefined || operation === undefined || refusal.status >= 500) return undefined;
  const records = recordsInPath(request);
  const target = records.at(-1);
  const organizationId =
    records.find(({ kind }) => kind === 'organization')?.id ??
    organizationIn(request.query) ??
    organizationIn(request.body) ??
    (target === undefined ? adminContext.user.organizationId : undefined);
  return {
    action: operation,
    error: refusal.entry.code,
    ...(target && { target }),
    ...(organizationId !== undefined && { organizationId }),
  };
}

function recordsInPath({ route, params }: ServedRequest): NamedRecord[] {
  const segments = ((route as { path?: string } | undefined)?.path ?? '').split('/');
  return segments.flatMap((segment, index) => {
    const kind = kinds.get(segments[index - 1] ?? '');
    const id = segment.startsWith(':') ? params[segment.slice(1)] : undefined;
    return kind !== undefined && isRecordId(id) ? [{ kind, id }] : [];
  });
}

/** The body is undefined where it was not read. */
function organizationIn(input: unknown): string | undefined {
  const { organizationId } = (input ?? {}) as { organizationId?: unknown };
  return isRecordId(organizationId) ? organizationId : undefined;
}
