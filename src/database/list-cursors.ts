import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import type { OrganizationScope } from '../common/context/request-context.js';
import { invalidField } from '../common/errors/service-error.js';
import type { ListPage, ListQuery } from '../common/http/paging.js';
import { Configuration } from '../config/configuration.js';
import type { PageStart, Position, StoredPage } from './reading.js';

/** A list as its cursors are bound to it. The filters are those of the request, in one spelling each. */
export interface ListIdentity {
  readonly name: 'seasons' | 'teams' | 'players' | 'schedules';
  readonly filters?: Readonly<Record<string, string | Date | undefined>>;
}

/** One request for a page of a list. */
export interface ListWalk {
  /** «Now» for the filters of the list: the moment at which its first page was asked for. */
  readonly moment: Date;
  readonly start: PageStart;
  /** The page as it is answered, with the cursor of the next one. */
  answer<T, U>(page: StoredPage<T>, map: (record: T) => U): ListPage<U>;
}

interface Opened {
  readonly moment: Date;
  readonly behind: Position;
}

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const idBytes = 12;
/** The moment, the position's time, whether it has an id, and the id. */
const plainBytes = 8 + 8 + 1 + idBytes;

/**
 * Seals where the pages of partners' lists end. A cursor says nothing to whoever holds it, and opens only for the organization,
 * the list and the filters that it came from. Its key comes from `JWT_SECRET`, which all replicas share and which
 * outlives them; where none is configured, cursors end with the process.
 */
@Injectable()
export class ListCursors {
  private readonly key: Buffer;

  constructor(
    { jwtSecret }: Configuration,
    private readonly clock: Clock,
  ) {
    this.key = Buffer.from(hkdfSync('sha256', jwtSecret.value, '', 'list cursors', 32));
  }

  /**
   * Begins a page, by its number or where the cursor says.
   * @throws ServiceError 40001 for a cursor that is not of this list
   */
  begin(scope: OrganizationScope, { page = 1, limit, cursor }: ListQuery, list: ListIdentity): ListWalk {
    const bound = boundTo(scope, list);
    const opened = cursor === undefined ? undefined : this.open(cursor, bound);
    const moment = opened?.moment ?? this.clock.now();
    return {
      moment,
      start: opened === undefined ? { page, limit } : { behind: opened.behind, limit },
      answer: ({ data, total, end }, map) => ({
        data: data.map(map),
        total,
        ...(end && { nextCursor: this.seal({ moment, behind: end }, bound) }),
      }),
    };
  }

  private seal({ moment, behind }: Opened, bound: Buffer): string {
    const plain = Buffer.alloc(plainBytes);
    plain.writeDoubleBE(moment.getTime(), 0);
    plain.writeDoubleBE(behind.at.getTime(), 8);
    if (behind.id !== undefined) {
      plain.writeUInt8(1, 16);
      plain.write(behind.id, 17, 'hex');
    }
    const nonce = randomBytes(nonceBytes);
    const sealing = createCipheriv(cipher, this.key, nonce).setAAD(bound);
    const sealed = Buffer.concat([nonce, sealing.update(plain), sealing.final(), sealing.getAuthTag()]);
    return sealed.toString('base64url');
  }

  private open(cursor: string, bound: Buffer): Opened {
    const sealed = Buffer.from(cursor, 'base64url');
    // Decoding passes over what is no base64url; encoding again tells.
    const isWhole = sealed.length === nonceBytes + plainBytes + tagBytes && sealed.toString('base64url') === cursor;
    const plain = isWhole ? this.unseal(sealed, bound) : undefined;
    if (plain === undefined) {
      throw invalidField('cursor', 'cursor must be the nextCursor of a page of this list, sent with the same filters');
    }
    const at = new Date(plain.readDoubleBE(8));
    return {
      moment: new Date(plain.readDoubleBE(0)),
      behind: plain.readUInt8(16) === 1 ? { at, id: plain.toString('hex', 17) } : { at },
    };
  }

  private unseal(sealed: Buffer, bound: Buffer): Buffer | undefined {
    const opening = createDecipheriv(cipher, this.key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
      .setAAD(bound)
      .setAuthTag(sealed.subarray(-tagBytes));
    try {
      return Buffer.concat([opening.update(sealed.subarray(nonceBytes, -tagBytes)), opening.final()]);
    } catch {
      return undefined;
    }
  }
}

/** What a cursor belongs to, in one spelling: the organization, the list, and those filters that were sent. */
function boundTo({ organization }: OrganizationScope, { name, filters = {} }: ListIdentity): Buffer {
  const sent = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return Buffer.from(JSON.stringify([organization.id, name, sent]));
}
