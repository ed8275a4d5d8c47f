import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { field } from '../validation/field.js';
import { Rule } from '../validation/rules.js';
import { NumberField } from '../validation/fields.js';

export const defaultLimit = 20;
const pageRange = { minimum: 1, maximum: 1_000_000, query: true };

export function LimitField(description = 'The number of entries per page.'): PropertyDecorator {
  return NumberField({ description, minimum: 1, maximum: 100, query: true, default: defaultLimit });
}

/** Query parameters of an admin list. */
export class PageQuery {
  @NumberField({ description: 'The page number, starting at 1.', ...pageRange, default: 1 })
  page = 1;

  @LimitField()
  limit = defaultLimit;
}

const maxCursorLength = 200;
const cursorOfList =
  'The `nextCursor` of the previous page, with the same filters. All pages are equally fast. Concurrent changes do not shift the pages; an entry that is added or moved can be missing or appear again.';

/** Query parameters of a public list, paged by number or by cursor. */
export class ListQuery {
  @NumberField({
    description: 'The page number, starting at 1 (default: 1). Cannot be combined with `cursor`.',
    ...pageRange,
  })
  page?: number;

  @LimitField()
  limit = defaultLimit;

  @CursorField()
  cursor?: string;
}

/** Declares a cursor; the list itself verifies it. */
export function CursorField(description = cursorOfList): PropertyDecorator {
  return field(
    { description },
    { schema: { type: String, minLength: 1, maxLength: maxCursorLength } },
    Rule('isCursor', (value, { page }) => {
      if (page !== undefined) return 'cannot be combined with page';
      const isCursor = typeof value === 'string' && value.length > 0 && value.length <= maxCursorLength;
      return isCursor ? undefined : 'must be the nextCursor of a page of this list';
    }),
  );
}

/** One page of a list, and the total number of entries. */
export interface Page<T> {
  readonly data: T[];
  readonly total: number;
}

export interface ListPage<T> extends Page<T> {
  /** Omitted on the last page. */
  readonly nextCursor?: string;
}

/** Returns the number of entries before a page. */
export function offsetOf({ page, limit }: { page: number; limit: number }): number {
  return (page - 1) * limit;
}

export function mapPage<T, U>({ data, total }: Page<T>, map: (record: T) => U): Page<U> {
  return { data: data.map(map), total };
}

export class MessageResponse {
  @ApiProperty({ description: 'A human-readable confirmation.', example: 'Schedule deleted' })
  message!: string;
}

/** Returns the response class of one object: `{data}`. */
export function DataDto<T extends object>(item: Type<T>, description: string): Type<{ data: T }> {
  class Dto {}
  ApiProperty({ type: item, description })(Dto.prototype, 'data');
  return Dto as Type<{ data: T }>;
}

/** Descriptions of a list's `data`, with its order, and `total`. */
interface ListTexts {
  readonly data: string;
  readonly total: string;
}

/** Returns the response class of an admin list: `{data, total}`. */
export function PageDto<T extends object>(item: Type<T>, { data, total }: ListTexts): Type<Page<T>> {
  class Dto {}
  ApiProperty({ type: [item], description: data })(Dto.prototype, 'data');
  ApiProperty({ type: 'integer', minimum: 0, description: total, example: 1 })(Dto.prototype, 'total');
  return Dto as Type<Page<T>>;
}

/** Returns the response class of a list without a total: `{data, nextCursor}`. */
export function CursorDto<T extends object>(item: Type<T>, data: string): Type<{ data: T[]; nextCursor?: string }> {
  class Dto {}
  ApiProperty({ type: [item], description: data })(Dto.prototype, 'data');
  NextCursorProperty()(Dto.prototype, 'nextCursor');
  return Dto as Type<{ data: T[]; nextCursor?: string }>;
}

/** Declares the cursor of the next page in a response class. */
function NextCursorProperty(): PropertyDecorator {
  return ApiProperty({
    type: String,
    required: false,
    description: 'The cursor of the next page; send it as `cursor`. Omitted on the last page.',
    example: 'MTgwOTE2NTYwMDAwMC4xODA5MTY1NjAwMDAwLjY2NTBmMWY3N2JjZjg2Y2Q3OTk0Mzk4MS5kOGRjNWU4MGE2ZDk0YjU3',
  });
}

/** Returns the response class of a public list: `{data, total, nextCursor}`. */
export function ListDto<T extends object>(item: Type<T>, texts: ListTexts): Type<ListPage<T>> {
  class Dto extends PageDto(item, texts) {}
  NextCursorProperty()(Dto.prototype, 'nextCursor');
  return Dto;
}
