import { Prop, type SchemaOptions } from '@nestjs/mongoose';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { type Model, type QueryFilter, SchemaTypes, type Types } from 'mongoose';

/** The fields of all records of an organization. */
export abstract class OwnedRecord {
  _id!: Types.ObjectId;
  @Prop({ type: SchemaTypes.ObjectId, ref: 'Organization', required: true }) organizationId!: Types.ObjectId;
  @Prop({ type: SchemaTypes.ObjectId, ref: 'User' }) createdBy!: Types.ObjectId;
  @Prop({ type: Date, default: null }) deletedAt!: Date | null;
  @Prop({ default: 1 }) revision!: number;
}

/** Options of their schemas: a created record is returned without its inner fields. */
export const owned = {
  timestamps: true,
  versionKey: false,
  toJSON: { transform: (_, { createdBy, deletedAt, ...shown }: Partial<OwnedRecord>) => shown },
} satisfies SchemaOptions;

/** The projection of reads. This project's server writes the last three. */
export const shownFields = '-createdBy -deletedAt -idempotency -timeBucket -statisticsWrittenAt';

export class PageQuery {
  @IsOptional() @Type(() => Number) @IsInt() @Min(1) @Max(1_000_000) page = 1;
  @IsOptional() @Type(() => Number) @IsInt() @Min(1) @Max(100) limit = 20;
}

type Sort = Record<string, 1>;

/** Reads a page and counts all records beside it. */
export async function findPage<T>(model: Model<T>, filter: QueryFilter<T>, sort: Sort, { page, limit }: PageQuery) {
  const skip = (page - 1) * limit;
  const [data, total] = await Promise.all([
    model.find(filter, shownFields, { sort, skip, limit }).lean(),
    model.countDocuments(filter),
  ]);
  return { data, total };
}
