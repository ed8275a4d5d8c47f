import { type ArgumentMetadata, Injectable, type Type, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { invalidFields, maxDetails, rejectedName } from '../errors/service-error.js';
import { fieldsOf } from './field.js';
import { type JsonObject, prototypeKeys } from './json.js';
import { problemsOf } from './problems.js';
import { assertOneOf } from './requires-one-of.js';
import { validationOptions } from './validation.options.js';

/** What class-validator found: `transform` turns it into the error of the API. */
class InvalidInput extends Error {
  constructor(readonly errors: readonly ValidationError[]) {
    super('The input is invalid');
  }
}

/**
 * Validates bodies and queries once, at the edge: Nest's pipe, with all invalid fields in one error of the catalogue. The
 * time grows with the square of the fields of an object, and deep objects exhaust the stack: `BodyGuard` limits both.
 * @throws ServiceError 40001, or the error of the class's `@RequiresOneOf()`
 */
@Injectable()
export class InputValidationPipe extends ValidationPipe {
  constructor() {
    super({ ...validationOptions, exceptionFactory: (errors) => new InvalidInput(errors) });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (!this.toValidate(metadata)) return super.transform(value, metadata);
    const type = metadata.metatype as Type<object>;
    const sent = value as JsonObject;
    const kind = metadata.type === 'query' ? 'parameter' : 'field';
    assertOneOf(type, sent);
    const dropped = droppedKeysIn(sent, type);
    if (dropped.length > 0)
      throw invalidFields(dropped.slice(0, maxDetails).map((name) => rejectedName(name, `is not a known ${kind}`)));
    try {
      return await super.transform(sent, metadata);
    } catch (error) {
      throw error instanceof InvalidInput ? invalidFields(problemsOf(error.errors, kind)) : error;
    }
  }

  protected override stripProtoKeys(): void {
    // Nest would delete the keys that `droppedKeysIn` finds.
  }

  protected override closeArrayGaps(): void {
    // JSON has no gaps.
  }

  /** JSON has no binary values: this saves a second search of the rules of a class. */
  protected override findNestedBinaryValues(): ValidationError[] {
    return [];
  }
}

/** Returns the paths of keys that class-transformer drops, so that class-validator could not name them as unknown. */
function droppedKeysIn(value: unknown, type?: Type<object>): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    // Names of methods, such as `toString`, only in an object that a class validates: others are stored as sent.
    const isDropped = prototypeKeys.has(key) || (type !== undefined && key in (type.prototype as object));
    const name = Array.isArray(value) ? `[${key}]` : key;
    if (isDropped) return [name];
    const found = droppedKeysIn(inner, type && fieldsOf(type).get(key)?.nested);
    return found.map((rest) => (Array.isArray(inner) ? name + rest : `${name}.${rest}`));
  });
}
