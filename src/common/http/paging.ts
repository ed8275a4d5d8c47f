import { ApiProperty } from '@nestjs/swagger';
import { QueryIntegerField } from '../validation/fields.js';

/** A page of a list, as partners ask for it. */
export class PageQuery {
  @QueryIntegerField({ description: 'The page, from 1.', minimum: 1, maximum: 1_000_000, example: 1 })
  @ApiProperty({ default: 1 })
  page = 1;

  @QueryIntegerField({ description: 'How many entries a page has.', minimum: 1, maximum: 100, example: 20 })
  @ApiProperty({ default: 20 })
  limit = 20;
}

/** A page of records, and how many there are in all. */
export interface Page<T> {
  readonly data: T[];
  readonly total: number;
}

/** How many entries stand before a page. */
export function offsetOf({ page, limit }: { page: number; limit: number }): number {
  return (page - 1) * limit;
}

/** The same page with every record mapped to what leaves. */
export function mapPage<T, U>({ data, total }: Page<T>, map: (record: T) => U): Page<U> {
  return { data: data.map(map), total };
}
