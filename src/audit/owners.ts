import { Injectable } from '@nestjs/common';
import type { AuditTarget } from './audit-event.schema.js';

type OwnerOf = (id: string) => Promise<string | null>;

/**
 * Which organization a record belongs to: told by the features, which the audit does not know, so that a refusal is found
 * under the organization that was meant, and not under that of whoever was refused.
 */
@Injectable()
export class Owners {
  private readonly ownerOf = new Map<AuditTarget['kind'], OwnerOf>([['organization', (id) => Promise.resolve(id)]]);

  /** Has the owners of one kind of record told by a feature. */
  tellOf(kind: AuditTarget['kind'], ownerOf: OwnerOf): void {
    this.ownerOf.set(kind, ownerOf);
  }

  /** The organization of a record; undefined where there is no such record, or it belongs to none. */
  async find(kind: AuditTarget['kind'], id: string): Promise<string | undefined> {
    return (await this.ownerOf.get(kind)?.(id)) ?? undefined;
  }
}
