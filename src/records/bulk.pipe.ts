import type { PipeTransform, Type } from '@nestjs/common';
import { invalidField, invalidFields, rejectedName, ServiceError } from '../errors/service-error.js';
import { mapInTurns } from '../http/turns.js';
import { externalIdProblem } from '../validation/ids.js';
import { isJsonObject, type JsonObject } from '../validation/json.js';
import { InputValidationPipe } from '../validation/validation.pipe.js';
import { type BulkRequest, BulkShell, type ParsedRow, type Row } from './bulk.dto.js';

/**
 * Validates each row of a bulk request on its own, so that an invalid one does not affect the others. The parameter's
 * type is an interface, which the global pipe passes on.
 */
export class BulkPipe<U extends object> implements PipeTransform<JsonObject, Promise<BulkRequest<U>>> {
  private readonly pipe = new InputValidationPipe();

  /** @param parentFields the fields of a row that name its parent, which a deletion has, too */
  constructor(
    readonly rowType: Type<U>,
    private readonly parentFields: readonly string[] = [],
  ) {}

  async transform(body: JsonObject): Promise<BulkRequest<U>> {
    const { rows } = body;
    // Without what is in the rows, because a key that no row may have fails only that row.
    const shell = { ...body, ...(Array.isArray(rows) && { rows: rows.map(() => null) }) };
    const { dryRun } = await this.validate(BulkShell, shell);
    const parse = (row: unknown, index: number) => this.parse(row, index);
    return { rows: await mapInTurns(rows as readonly unknown[], parse), dryRun };
  }

  private async validate<T extends object>(metatype: Type<T>, value: JsonObject): Promise<T> {
    return (await this.pipe.transform(value, { type: 'body', metatype })) as T;
  }

  private async parse(sent: unknown, index: number): Promise<ParsedRow<U>> {
    if (!isJsonObject(sent)) return { error: invalidField(`rows[${index}]`, 'A row must be an object') };
    const { externalId } = sent;
    const checked = await this.check(sent);
    if (typeof externalId !== 'string' || externalIdProblem(externalId) !== undefined) return checked;
    const named = Object.entries(sent).filter(
      ([name, value]) => this.parentFields.includes(name) && typeof value === 'string',
    );
    return { externalId, parent: Object.fromEntries(named) as Record<string, string>, ...checked };
  }

  /** Returns a valid row, or the error with which it fails. */
  private async check(sent: JsonObject): Promise<Pick<ParsedRow<U>, 'row' | 'error'>> {
    const ofDeletion = ['externalId', 'delete', ...this.parentFields];
    const superfluous = sent['delete'] === true ? Object.keys(sent).filter((name) => !ofDeletion.includes(name)) : [];
    try {
      if (superfluous.length > 0)
        throw invalidFields(superfluous.map((name) => rejectedName(name, 'must be omitted if delete is true')));
      const { delete: isDeletion, ...input } = (await this.validate(this.rowType, sent)) as Row<U>;
      return { row: { ...input, ...(isDeletion && { delete: true }) } as Row<U> };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { error };
    }
  }
}

/**
 * Fails a row that repeats the key of an earlier one. After a deletion, one more row may have it, which is written in the next
 * pass (`after`): at most two rows have a key, so that the number of commands does not depend on the rows.
 */
export function linkRepeated<U>(
  rows: readonly ParsedRow<U>[],
  keyOf: (row: ParsedRow<U>) => string | undefined,
): ParsedRow<U>[] {
  const earlier = new Map<string, { readonly index: number; readonly deletion: Row<U> | undefined }>();
  return rows.map((parsed, index): ParsedRow<U> => {
    const key = keyOf(parsed);
    if (key === undefined) return parsed;
    const { row } = parsed;
    const { index: first, deletion: after } = earlier.get(key) ?? {};
    if (first !== undefined && (after === undefined || row?.delete === true))
      return { ...parsed, row: undefined, error: invalidField('externalId', `externalId repeats row ${first}`) };
    earlier.set(key, { index, deletion: row?.delete === true ? row : undefined });
    return { ...parsed, ...(row && after && { after }) };
  });
}
