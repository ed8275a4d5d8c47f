import type { Type } from '@nestjs/common';
import validator from 'validator';
import { type EntryProblem, Field, type FieldOptions } from './field.js';
import { hasImpossibleDate, parseInstant } from './instant.js';
import { isBlank, textProblem, type TextLimits, trim } from './text.js';

const urlMaximum = 2048;
const emailMaximum = 254;
const recordId = /^[0-9a-fA-F]{24}$/;
const brokenEscape = /%(?![0-9A-Fa-f]{2})/;
const httpUrl = /^https?:\/\/[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/i;

/** A trimmed string within limits counted in code points. */
export function TextField(options: FieldOptions & Omit<TextLimits, 'min'>): PropertyDecorator {
  const { max, allowBlank = false, multiline = false, ...rest } = options;
  return Field({
    ...rest,
    convert: trim,
    problem: (value) => textProblem(value, { max, allowBlank, multiline }),
    schema: { type: String, maxLength: max, ...(!allowBlank && { minLength: 1 }) },
    stored: 'String',
  });
}

export function passwordProblem(value: unknown): string | undefined {
  return textProblem(value, { min: 8, max: 200, allowBlank: true });
}

export function emailProblem(value: unknown): string | undefined {
  return (
    textProblem(value, { max: emailMaximum }) ??
    (validator.isEmail(String(value)) ? undefined : 'must be an email address')
  );
}

/** A new password: 8 to 200 characters, kept as sent. */
export function PasswordField(options: FieldOptions): PropertyDecorator {
  return Field({
    ...options,
    problem: passwordProblem,
    schema: { type: String, format: 'password', minLength: 8, maxLength: 200 },
  });
}

/** An email address; `lowerCase` for logins, which ignore case. */
export function EmailField({ lowerCase, ...options }: FieldOptions & { lowerCase?: boolean }): PropertyDecorator {
  return Field({
    ...options,
    convert: (raw) => {
      const text = trim(raw);
      return lowerCase === true && typeof text === 'string' ? text.toLowerCase() : text;
    },
    problem: emailProblem,
    schema: { type: String, format: 'idn-email', maxLength: emailMaximum },
    stored: 'String',
  });
}

/** An http or https URL in ASCII (RFC 3986). */
export function UrlField(options: FieldOptions): PropertyDecorator {
  return Field({
    ...options,
    convert: trim,
    problem: (value) => {
      const problem = textProblem(value, { max: urlMaximum });
      return problem ?? (isHttpUrl(String(value)) ? undefined : 'must be an http or https URL');
    },
    schema: { type: String, format: 'uri', maxLength: urlMaximum },
    stored: 'String',
  });
}

function isHttpUrl(text: string): boolean {
  const options = { require_tld: false, allow_underscores: true, allow_trailing_dot: true };
  return httpUrl.test(text) && !brokenEscape.test(text) && validator.isURL(text, options) && URL.canParse(text);
}

/** A JSON boolean; in a `query`, `true` or `false`. */
export function BooleanField({ query, ...options }: FieldOptions & { query?: boolean }): PropertyDecorator {
  return Field({
    ...options,
    ...(query === true && { convert: (raw) => (raw === 'true' ? true : raw === 'false' ? false : raw) }),
    problem: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
    schema: { type: Boolean },
    stored: 'Boolean',
  });
}

/** One of a fixed set of strings or integers, in OpenAPI the schema `enumName`. */
export function ChoiceField({
  enumName,
  choices,
  ...options
}: FieldOptions & { enumName?: string; choices: readonly (string | number)[] }): PropertyDecorator {
  const isNumber = typeof choices[0] === 'number';
  return Field({
    ...options,
    problem: (value) =>
      choices.includes(value as string | number) ? undefined : `must be one of ${choices.join(', ')}`,
    schema: { type: isNumber ? 'integer' : 'string', enum: [...choices], ...(enumName && { enumName }) },
    stored: isNumber ? 'Number' : 'String',
  });
}

/** A query parameter with one or more of a fixed set of strings, separated by commas, repeated or both. */
export function ChoiceListField({
  choices,
  enumName,
  ...options
}: FieldOptions & { readonly choices: readonly string[]; readonly enumName: string }): PropertyDecorator {
  return Field({
    ...options,
    convert: (raw) => String(raw).split(',').map(trim),
    problem: (value) =>
      Array.isArray(value) && value.every((entry) => choices.includes(entry as string))
        ? undefined
        : `must be one or more of ${choices.join(', ')}, separated by commas`,
    schema: { isArray: true, enum: [...choices], enumName },
  });
}

interface NumberLimits {
  readonly minimum: number;
  readonly maximum?: number;
  /** Rejects fractions. */
  readonly integer?: boolean;
  /** Converts decimal digits, because query parameters arrive as strings. */
  readonly query?: boolean;
}

/** A JSON number, or the digits of a query parameter, from `minimum` to `maximum`. */
export function NumberField(options: FieldOptions & NumberLimits): PropertyDecorator {
  const { minimum, maximum, query, integer = query, ...rest } = options;
  const kind = integer === true ? 'an integer' : 'a number';
  const range = maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
  const isValid = (value: unknown) =>
    (integer === true ? Number.isInteger(value) : Number.isFinite(value)) &&
    Number(value) >= minimum &&
    Number(value) <= (maximum ?? Infinity);
  return Field({
    ...rest,
    ...(query === true && {
      convert: (raw) => (typeof raw === 'string' && /^\d+$/.test(raw) ? Number(raw) : raw),
    }),
    problem: (value) => (isValid(value) ? undefined : `must be ${kind} ${range}`),
    schema: { type: integer === true ? 'integer' : Number, minimum, ...(maximum !== undefined && { maximum }) },
    stored: 'Number',
  });
}

/** Returns whether a value is a record ID, 24 hexadecimal digits. */
export function isRecordId(value: unknown): value is string {
  return typeof value === 'string' && recordId.test(value);
}

/** The ID of a record: 24 hexadecimal digits, converted to lower case. */
export function RecordIdField(options: FieldOptions): PropertyDecorator {
  return Field({
    ...options,
    convert: (raw) => (typeof raw === 'string' ? raw.toLowerCase() : raw),
    problem: (value) => (isRecordId(value) ? undefined : 'must be an ID of 24 hexadecimal digits'),
    schema: { type: String, pattern: '^[0-9a-fA-F]{24}$' },
    stored: 'ObjectId',
  });
}

/** A team ID in a request: any visible text. The service rejects every unknown ID with 403, even a malformed one. */
export function TeamIdField(options: FieldOptions): PropertyDecorator {
  return Field({
    ...options,
    problem: (value) =>
      typeof value !== 'string' ? 'must be a string' : isBlank(value) ? 'must not be blank' : undefined,
    schema: { type: String, minLength: 1 },
    stored: 'ObjectId',
  });
}

/** An ISO 8601 date-time; UTC if it has no time zone. In a `query`, an unescaped `+` arrives as a space. */
export function DateField({
  query,
  response,
  ...options
}: FieldOptions & { example?: string; query?: boolean }): PropertyDecorator {
  const prepare = (text: string) => (query === true ? text.replace(/ (\d{2}:?\d{2})$/, '+$1') : text.trim());
  return Field({
    ...options,
    response: { ...(options.example && { example: new Date(options.example).toISOString() }), ...response },
    convert: (raw) => (typeof raw === 'string' ? (parseInstant(prepare(raw)) ?? raw) : raw),
    problem: (value) => {
      if (value instanceof Date) return undefined;
      if (typeof value === 'string' && hasImpossibleDate(prepare(value))) return 'is not a calendar date';
      return 'must be an ISO 8601 date-time such as 2027-05-01T10:00:00Z, in the years 1970 to 2199';
    },
    schema: { type: String, format: 'date-time' },
    stored: 'Date',
  });
}

/** An object with fields of its own, each validated by its class. */
export function NestedField({ type, ...options }: FieldOptions & { type: Type<object> }): PropertyDecorator {
  return Field({ ...options, problem: () => 'must be an object', schema: { type }, nested: type });
}

interface ListLimits {
  readonly maxItems: number;
  /** Completes "omit it …", such as "to allow every address": an empty list would mean the opposite. */
  readonly omitTo: string;
  readonly entryProblem: (value: string) => string | undefined;
  /** The OpenAPI schema of an entry. */
  readonly items: { readonly maxLength?: number } | { readonly enum: string[]; readonly enumName: string };
}

/** An array of trimmed, unique strings, at least one; each invalid entry is named by its index (`scopes[1]`). */
export function TextListField(options: FieldOptions & ListLimits): PropertyDecorator {
  const { maxItems, omitTo, entryProblem, items, ...rest } = options;
  return Field({
    ...rest,
    convert: (raw) => (Array.isArray(raw) ? raw.map(trim) : raw),
    problem: (value) => {
      if (!Array.isArray(value)) return 'must be an array of strings';
      if (value.length === 0) return `must have at least one entry; omit it ${omitTo}`;
      return value.length > maxItems ? `must have at most ${maxItems} entries` : entryProblems(value, entryProblem);
    },
    schema: {
      ...('enum' in items ? { isArray: true, ...items } : { type: 'array', items: { type: 'string', ...items } }),
      minItems: 1,
      maxItems,
      uniqueItems: true,
    },
    stored: ['String'],
  });
}

function entryProblems(list: readonly unknown[], entryProblem: ListLimits['entryProblem']): EntryProblem[] | undefined {
  const problems = list.flatMap((value, index) => {
    const first = list.indexOf(value);
    const repetition = first === index ? undefined : `must not repeat entry ${first}`;
    const problem = typeof value === 'string' ? (entryProblem(value) ?? repetition) : 'must be a string';
    return problem === undefined ? [] : [{ index, problem }];
  });
  return problems.length === 0 ? undefined : problems;
}
