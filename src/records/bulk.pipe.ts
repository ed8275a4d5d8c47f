import type { PipeTransform, Type } from '@nestjs/common';
import { invalidField, invalidFields, rejectedName, ServiceError } from '../errors/service-error.js';
import { mapInTurns } from '../http/turns.js';
import { externalIdProblem } from '../validation/ids.js';
import { isJsonObject, type JsonObject } from '../validation/json.js';
import { InputValidationPipe } from '../validation/validation.pipe.js';
import { type BulkRequest, BulkShell, type ParsedRow, type Row } from './bulk.dto.js';

/** The rows with an external ID so far: the index of the latest one, and the row itself if it deletes the record. */
type Earlier<U> = Map<string, { readonly index: number; readonly deletion: Row<U> | undefined }>;

/**
 * Validates each row of a bulk request on its own, so that an invalid one does not affect the others. The parameter's
 * type is an interface, which the global pipe passes on.
 */
export class BulkPipe<U extends object> implements PipeTransform<JsonObject, Promise<BulkRequest<U>>> {
  private readonly pipe = new InputValidationPipe();

  constructor(readonly rowType: Type<U>) {}

  async transform(body: JsonObject): Promise<BulkRequest<U>> {
    const { rows } = body;
    // Without what is in the rows, because a key that no row may have fails only that row.
    const shell = { ...body, ...(Array.isArray(rows) && { rows: rows.map(() => null) }) };
    const { dryRun } = await this.validate(BulkShell, shell);
    const earlier: Earlier<U> = new Map();
    const parse = (row: unknown, index: number) => this.parse(row, index, earlier);
    return { rows: await mapInTurns(rows as readonly unknown[], parse), dryRun };
  }

  private async validate<T extends object>(metatype: Type<T>, value: JsonObject): Promise<T> {
    return (await this.pipe.transform(value, { type: 'body', metatype })) as T;
  }

  /** A row that repeats the external ID of an earlier one is invalid, unless that is a deletion. */
  private async parse(sent: unknown, index: number, earlier: Earlier<U>): Promise<ParsedRow<U>> {
    if (!isJsonObject(sent)) return { error: invalidField(`rows[${index}]`, 'A row must be an object') };
    const { externalId } = sent;
    const checked = await this.check(sent);
    if (typeof externalId !== 'string' || externalIdProblem(externalId) !== undefined) return checked;
    const { index: first, deletion: after } = earlier.get(externalId) ?? {};
    const { row } = checked;
    // At most two rows, so that the number of commands does not depend on the rows.
    if (first !== undefined && (after === undefined || sent['delete'] === true))
      return { externalId, error: invalidField('externalId', `externalId repeats row ${first}`) };
    earlier.set(externalId, { index, deletion: row?.delete === true ? row : undefined });
    return { externalId, ...checked, ...(row && after && { after }) };
  }

  /** Returns a valid row, or the error with which it fails. */
  private async check(sent: JsonObject): Promise<Pick<ParsedRow<U>, 'row' | 'error'>> {
    const others = sent['delete'] === true ? Object.keys(sent) : [];
    const superfluous = others
      .filter((name) => name !== 'externalId' && name !== 'delete')
      .map((name) => rejectedName(name, 'must be omitted if delete is true'));
    try {
      const { delete: isDeletion, ...input } = (await this.validate(this.rowType, sent)) as Row<U>;
      if (superfluous.length > 0) return { error: invalidFields(superfluous) };
      return { row: { ...input, ...(isDeletion && { delete: true }) } as Row<U> };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { error: invalidFields([...(error.details ?? []), ...superfluous]) };
    }
  }
}
