import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Field } from '../validation/field.js';
import { NumberField } from '../validation/fields.js';

const exampleCursor = 'MTgwOTE2NTYwMDAwMC4xODA5MTY1NjAwMDAwLjY2NTBmMWY3N2JjZjg2Y2Q3OTk0Mzk4MS5kOGRjNWU4MGE2ZDk0YjU3';

const pages = { minimum: 1, maximum: 1_000_000, query: true, example: 1 };

/** How many entries a page has. */
export function LimitField(description = 'How many entries a page has.'): PropertyDecorator {
  return NumberField({ description, minimum: 1, maximum: 100, query: true, example: 20, default: 20 });
}

/** A page of a list, as admins ask for it. */
export class PageQuery {
  @NumberField({ description: 'The page, from 1.', ...pages, default: 1 })
  page!: number;

  @LimitField()
  limit!: number;
}

const mostCursorCharacters = 200;

/** A page of a list, as partners ask for it: by its number, or by where the page before it ended. */
export class ListQuery {
  @NumberField({
    description: 'The page, from 1; without it, the first. Left out beside `cursor`: a page has one beginning.',
    ...pages,
  })
  page?: number;

  @LimitField()
  limit!: number;

  @CursorField()
  cursor?: string;
}

/** A cursor, which the list itself verifies. */
export function CursorField(): PropertyDecorator {
  return Field({
    description:
      'Where the page begins: `nextCursor` of the page before, with the same filters. It costs the same however far behind the page lies, and what is written meanwhile neither repeats an entry nor leaves one out. Not together with `page`.',
    example: exampleCursor,
    problem: (value, { page }) => {
      if (page !== undefined) return 'must not be sent together with page';
      const isCursor = typeof value === 'string' && value.length > 0 && value.length <= mostCursorCharacters;
      return isCursor ? undefined : 'must be the nextCursor of a page of this list';
    },
    schema: { type: String, minLength: 1, maxLength: mostCursorCharacters },
  });
}

/** A page of records, and how many there are in all. */
export interface Page<T> {
  readonly data: T[];
  readonly total: number;
}

/** A page that tells where the next one begins; left out where there is none. */
export interface ListPage<T> extends Page<T> {
  readonly nextCursor?: string;
}

/** How many entries stand before a page. */
export function offsetOf({ page, limit }: { page: number; limit: number }): number {
  return (page - 1) * limit;
}

/** The same page with every record mapped to what leaves. */
export function mapPage<T, U>({ data, total }: Page<T>, map: (record: T) => U): Page<U> {
  return { data: data.map(map), total };
}

/** Returns the class of a response with one object: `{data}`. */
export function DataDto<T extends object>(item: Type<T>, description: string): Type<{ data: T }> {
  class Dto {}
  ApiProperty({ type: item, description })(Dto.prototype, 'data');
  return Dto as Type<{ data: T }>;
}

/** How a list is described: the order of its `data`, and what its `total` counts. */
interface ListTexts {
  readonly data: string;
  readonly total: string;
}

/** Returns the class of a page that is read by its number: `{data, total}`. */
export function PageDto<T extends object>(item: Type<T>, { data, total }: ListTexts): Type<Page<T>> {
  class Dto {}
  ApiProperty({ type: [item], description: data })(Dto.prototype, 'data');
  ApiProperty({ type: 'integer', minimum: 0, description: total, example: 1 })(Dto.prototype, 'total');
  return Dto as Type<Page<T>>;
}

/** The cursor of the next page, in the response class of a list. */
export function NextCursorProperty(): PropertyDecorator {
  return ApiProperty({
    type: String,
    required: false,
    description: 'Where the next page begins, to be sent as `cursor`. Left out on the last page.',
    example: exampleCursor,
  });
}

/** Returns the class of a page of a partner's list: `{data, total, nextCursor}`. */
export function ListDto<T extends object>(item: Type<T>, texts: ListTexts): Type<ListPage<T>> {
  class Dto extends PageDto(item, texts) {}
  NextCursorProperty()(Dto.prototype, 'nextCursor');
  return Dto;
}
