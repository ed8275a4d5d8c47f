import { type ArgumentMetadata, Injectable, type Type, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { invalidFields, rejectedName } from '../errors/service-error.js';
import { fieldsOf } from './field.js';
import { isJsonObject, type JsonObject, prototypeKeysIn } from './json.js';
import { type InputKind, problemsOf } from './problems.js';
import { assertOneOf } from './requires-one-of.js';
import { validationOptions } from './validation.options.js';

/** What class-validator found: `transform` turns it into the error of the API. */
class InvalidInput extends Error {
  constructor(readonly errors: readonly ValidationError[]) {
    super('The input is invalid');
  }
}

/**
 * Validates bodies and queries once, at the edge: Nest's pipe, with all invalid fields in one error of the catalogue.
 * @throws ServiceError 40001, or the error of the class's `@RequiresOneOf()`
 */
@Injectable()
export class InputValidationPipe extends ValidationPipe {
  constructor() {
    super({ ...validationOptions, exceptionFactory: (errors) => new InvalidInput(errors) });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (!this.toValidate(metadata)) return value;
    const type = metadata.metatype as Type<object>;
    const sent = (value ?? {}) as JsonObject;
    const kind = metadata.type === 'query' ? 'parameter' : 'field';
    assertOneOf(type, sent);
    assertNoHiddenKeys(type, sent, kind);
    try {
      return await super.transform(sent, metadata);
    } catch (error) {
      throw error instanceof InvalidInput ? invalidFields(problemsOf(error.errors, kind)) : error;
    }
  }

  protected override stripProtoKeys(): void {
    // Nest would delete the keys that `assertNoHiddenKeys` names.
  }

  protected override closeArrayGaps(): void {
    // JSON has no gaps.
  }

  /** JSON has no binary values: this saves a second search of the rules of a class. */
  protected override findNestedBinaryValues(): ValidationError[] {
    return [];
  }
}

/** Rejects keys that class-transformer drops, so that class-validator could not name them as unknown. */
function assertNoHiddenKeys(type: Type<object>, sent: JsonObject, kind: InputKind): void {
  const hidden = [...new Set([...prototypeKeysIn(sent), ...methodNamesIn(type, sent)])];
  if (hidden.length > 0) throw invalidFields(hidden.map((name) => rejectedName(name, `is not a known ${kind}`)));
}

/** Returns the paths of keys that are names of methods, such as `toString`, in the objects that a class validates. */
function methodNamesIn(type: Type<object>, sent: JsonObject, path = ''): string[] {
  return Object.entries(sent).flatMap(([name, value]) => {
    if (name in Object.prototype) return [path + name];
    const nested = isJsonObject(value) ? fieldsOf(type).get(name)?.nested : undefined;
    return nested === undefined ? [] : methodNamesIn(nested, value as JsonObject, `${path}${name}.`);
  });
}
