import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { OrganizationScope } from '../../common/context/request-context.js';
import type { CausalRead } from '../../database/database.service.js';
import { queryTimeLimit } from '../../database/list-queries.js';
import { findRecords } from '../../database/operations.js';
import { projectionOf } from '../../database/organization.repository.js';
import { toRecordId } from '../../database/record.js';
import {
  type Change,
  type ChangeKind,
  changeModel,
  type Checkpoint,
  checkpointId,
  checkpointModel,
} from './change.schema.js';

const rowFields = ['_id', 'kind', 'position', 'changedAt'] as const satisfies (keyof Change)[];

export type ChangeRow = Pick<Change, (typeof rowFields)[number]>;

/** A part of the feed: after a position, up to and including the last one. */
interface ChangeRange {
  readonly kinds: readonly ChangeKind[];
  readonly after: string;
  readonly last: string;
  readonly limit: number;
}

/** Reads the change feed of an organization, with shared seasons. */
@Injectable()
export class ChangesRepository {
  constructor(
    @InjectModel(changeModel) private readonly changes: Model<Change>,
    @InjectModel(checkpointModel) private readonly checkpoints: Model<Checkpoint>,
  ) {}

  /** Returns the cluster time up to which the feed is complete, or null before it is built. */
  async findTime(read: CausalRead): Promise<string | null> {
    const options = { projection: projectionOf(timeOnly), maxTimeMS: queryTimeLimit, sort: {}, limit: 1, ...read };
    const [checkpoint] = await findRecords<Pick<Checkpoint, 'time'>>(this.checkpoints, { _id: checkpointId }, options);
    return checkpoint?.time ?? null;
  }

  /** Returns rows in order. */
  findRange(
    scope: OrganizationScope,
    { kinds, after, last, limit }: ChangeRange,
    read: CausalRead,
  ): Promise<ChangeRow[]> {
    const filter = {
      organizationId: { $in: [toRecordId(scope.organization.id), null] },
      kind: { $in: kinds },
      position: { $gt: after, $lte: last },
    };
    const options = {
      projection: projectionOf(rowFields),
      maxTimeMS: queryTimeLimit,
      sort: { position: 1 },
      limit,
    } as const;
    return findRecords<ChangeRow>(this.changes, filter, { ...options, ...read });
  }
}

const timeOnly = ['time'];
