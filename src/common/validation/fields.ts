import type { Type } from '@nestjs/common';
import { Type as Convert } from 'class-transformer';
import { isEmail, isURL, ValidateNested } from 'class-validator';
import { constrain, describe, Field, note } from './field.js';
import { parseInstant } from './instant.js';
import { codePoints, isBlank, textProblem, type TextLimits, trimmed } from './text.js';

/** What every field says of itself in OpenAPI. */
export interface Described {
  readonly description: string;
  readonly example?: unknown;
}

const urlMaximum = 2048;
const emailMaximum = 254;
const recordId = /^[0-9a-fA-F]{24}$/;
const brokenEscape = /%(?![0-9A-Fa-f]{2})/;
const uriCharacters = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/;

/** The pattern of a record's id, 24 hexadecimal digits. */
export function isRecordId(value: unknown): value is string {
  return typeof value === 'string' && recordId.test(value);
}

/** A trimmed text within limits counted in code points. */
export function TextField(options: Described & TextLimits): PropertyDecorator {
  const { min, max, blank, description, example } = options;
  const minimum = blank === true ? (min ?? 0) : Math.max(1, min ?? 1);
  return Field({
    convert: trimmed,
    problem: (value) => textProblem(value, options),
    schema: { description, example, type: String, maxLength: max, ...(minimum > 0 && { minLength: minimum }) },
  });
}

/** What is wrong with a new password, as the end of a sentence, or undefined. It is kept as sent. */
export function passwordProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a text';
  const length = codePoints(value);
  if (length < 8 || length > 200) return 'must have 8 to 200 characters';
  return textProblem(value, { max: 200, blank: true });
}

/** What is wrong with an email address, as the end of a sentence, or undefined. */
export function emailProblem(value: unknown): string | undefined {
  return textProblem(value, { max: emailMaximum }) ?? (isEmail(value) ? undefined : 'must be an email address');
}

/** A password: 8 to 200 characters, kept as sent. */
export function PasswordField(described: Described): PropertyDecorator {
  return Field({
    problem: passwordProblem,
    schema: { ...described, type: String, format: 'password', minLength: 8, maxLength: 200 },
  });
}

/** An email address; `lowerCase` for logins, which are compared without case. */
export function EmailField(options: Described & { lowerCase?: boolean }): PropertyDecorator {
  const { lowerCase, ...described } = options;
  return Field({
    convert: (raw) => {
      const text = trimmed(raw);
      return lowerCase === true && typeof text === 'string' ? text.toLowerCase() : text;
    },
    problem: emailProblem,
    schema: { ...described, type: String, format: 'idn-email', maxLength: emailMaximum },
  });
}

/** An http or https URL in ASCII (RFC 3986). */
export function UrlField(described: Described): PropertyDecorator {
  return Field({
    convert: trimmed,
    problem: (value) => {
      const problem = textProblem(value, { max: urlMaximum });
      return problem ?? (isHttpUrl(String(value)) ? undefined : 'must be an http or https URL');
    },
    schema: { ...described, type: String, format: 'uri', maxLength: urlMaximum },
  });
}

function isHttpUrl(text: string): boolean {
  const lenient = { require_tld: false, allow_underscores: true, allow_trailing_dot: true };
  const options = { protocols: ['http', 'https'], require_protocol: true, ...lenient };
  return uriCharacters.test(text) && !brokenEscape.test(text) && isURL(text, options) && URL.canParse(text);
}

/** `true` or `false`, as JSON writes them. */
export function BooleanField(described: Described): PropertyDecorator {
  return Field({
    problem: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
    schema: { ...described, type: Boolean },
  });
}

/** One of a closed list of texts or whole numbers. */
export function ChoiceField(options: Described & { choices: readonly (string | number)[] }): PropertyDecorator {
  const { choices, ...described } = options;
  const type = typeof choices[0] === 'number' ? 'integer' : 'string';
  return Field({
    problem: (value) =>
      choices.includes(value as string | number) ? undefined : `must be one of ${choices.join(', ')}`,
    schema: { ...described, type, enum: [...choices] },
  });
}

/** A JSON number, a fraction too, not below `minimum`. */
export function NumberField(options: Described & { minimum: number }): PropertyDecorator {
  const { minimum } = options;
  return Field({
    problem: (value) =>
      typeof value === 'number' && Number.isFinite(value) && value >= minimum
        ? undefined
        : `must be a number of at least ${minimum}`,
    schema: { ...options, type: Number },
  });
}

/** A JSON number without a fraction, from `minimum` to `maximum`. */
export function IntegerField(options: Described & { minimum: number; maximum: number }): PropertyDecorator {
  const { minimum, maximum } = options;
  return Field({
    problem: (value) => integerProblem(value, minimum, maximum),
    schema: { ...options, type: 'integer' },
  });
}

/** A query parameter in whole decimal digits, from `minimum` to `maximum`. */
export function QueryIntegerField(options: Described & { minimum: number; maximum: number }): PropertyDecorator {
  const { minimum, maximum } = options;
  return Field({
    convert: (raw) => (typeof raw === 'string' && /^\d+$/.test(raw) ? Number(raw) : raw),
    problem: (value) => integerProblem(value, minimum, maximum),
    schema: { ...options, type: 'integer' },
  });
}

function integerProblem(value: unknown, minimum: number, maximum: number): string | undefined {
  return Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum
    ? undefined
    : `must be a whole number from ${minimum} to ${maximum}`;
}

/** The id of a record that is no team: 24 hexadecimal digits. */
export function RecordIdField(described: Described): PropertyDecorator {
  return Field({
    convert: (raw) => (typeof raw === 'string' ? raw.toLowerCase() : raw),
    problem: (value) => (isRecordId(value) ? undefined : 'must be an id of 24 hexadecimal digits'),
    schema: { ...described, type: String, pattern: '^[0-9a-fA-F]{24}$' },
  });
}

/**
 * The id of a team: any text that is not blank, since a text that is no team of the organization is forbidden
 * (403), whatever its shape.
 */
export function TeamIdField(described: Described): PropertyDecorator {
  return Field({
    problem: (value) =>
      typeof value !== 'string' ? 'must be a text' : isBlank(value) ? 'must not be blank' : undefined,
    schema: { ...described, type: String, minLength: 1 },
  });
}

/** An ISO 8601 date-time; without a zone it is UTC. Becomes a `Date`. */
export function InstantField(described: Described): PropertyDecorator {
  return instantField(described, (text) => text.trim());
}

/** As `InstantField`, in a query, where a `+` that was not escaped arrives as a blank. */
export function QueryInstantField(described: Described): PropertyDecorator {
  return instantField(described, (text) => text.replace(/ (\d{2}:?\d{2})$/, '+$1'));
}

function instantField(described: Described, prepare: (text: string) => string): PropertyDecorator {
  return Field({
    convert: (raw) => (typeof raw === 'string' ? (parseInstant(prepare(raw)) ?? raw) : raw),
    problem: (value) =>
      value instanceof Date
        ? undefined
        : 'must be an ISO 8601 date-time such as 2027-05-01T10:00:00Z, in the years 1970 to 2199',
    schema: { ...described, type: String, format: 'date-time' },
  });
}

/** An object with fields of its own, each checked by its class. */
export function NestedField(options: { type: Type<object>; description: string }): PropertyDecorator {
  const message = 'must be an object';
  return (target, property) => {
    note(target, property, { nested: options.type });
    Convert(() => options.type)(target, property);
    ValidateNested({ message: `${String(property)} ${message}` })(target, property);
    constrain(target, property, (value) => {
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
      return value === undefined || isObject ? undefined : message;
    });
    describe(target, property, { required: false }, options);
  };
}
