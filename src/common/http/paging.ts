import { ApiProperty } from '@nestjs/swagger';
import { constrain, Field } from '../validation/field.js';
import { QueryIntegerField } from '../validation/fields.js';

const exampleCursor = 'MTgwOTE2NTYwMDAwMC4xODA5MTY1NjAwMDAwLjY2NTBmMWY3N2JjZjg2Y2Q3OTk0Mzk4MS5kOGRjNWU4MGE2ZDk0YjU3';

const pages = { minimum: 1, maximum: 1_000_000, example: 1 };
const limits = { description: 'How many entries a page has.', minimum: 1, maximum: 100, example: 20 };

/** A page of a list, as admins ask for it. */
export class PageQuery {
  @QueryIntegerField({ description: 'The page, from 1.', ...pages })
  @ApiProperty({ default: 1 })
  page = 1;

  @QueryIntegerField(limits)
  @ApiProperty({ default: 20 })
  limit = 20;
}

const mostCursorCharacters = 200;

/** A page of a list, as partners ask for it: by its number, or by where the page before it ended. */
export class ListQuery {
  @QueryIntegerField({
    description: 'The page, from 1; without it, the first. Left out beside `cursor`: a page has one beginning.',
    ...pages,
  })
  page?: number;

  @QueryIntegerField(limits)
  @ApiProperty({ default: 20 })
  limit = 20;

  @CursorField()
  cursor?: string;
}

/** A cursor, which the list itself verifies. */
export function CursorField(): PropertyDecorator {
  return (target, property) => {
    Field({
      problem: (value) =>
        typeof value === 'string' && value.length > 0 && value.length <= mostCursorCharacters
          ? undefined
          : 'must be the nextCursor of a page of this list',
      schema: {
        description:
          'Where the page begins: `nextCursor` of the page before, with the same filters. It costs the same however far behind the page lies, and what is written meanwhile neither repeats an entry nor leaves one out. Not together with `page`.',
        type: String,
        minLength: 1,
        maxLength: mostCursorCharacters,
        example: exampleCursor,
      },
    })(target, property);
    constrain(target, property, (value, query) =>
      value !== undefined && (query as ListQuery).page !== undefined
        ? 'must not be sent together with page'
        : undefined,
    );
  };
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
