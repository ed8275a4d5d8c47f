import type { Type } from '@nestjs/common';
import type { ErrorName } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';
import type { JsonObject } from './json.js';
import { isBlank } from './text.js';

interface Requirement {
  readonly fields: readonly string[];
  readonly error: ErrorName;
}

const requirementKey = Symbol('requirement');

/** Rejects a request in which each of the fields is absent, `null` or blank, with an error of its own. */
export function RequiresOneOf(fields: readonly string[], error: ErrorName): ClassDecorator {
  return (target) => Reflect.defineMetadata(requirementKey, { fields, error } satisfies Requirement, target);
}

/** @throws ServiceError of the class's `@RequiresOneOf()` if a request violates it */
export function assertOneOf(type: Type<object>, sent: JsonObject): void {
  const requirement = Reflect.getMetadata(requirementKey, type) as Requirement | undefined;
  const isMissing = (value: unknown = null) => value === null || (typeof value === 'string' && isBlank(value));
  if (requirement?.fields.every((field) => isMissing(sent[field])) === true) throw new ServiceError(requirement.error);
}
