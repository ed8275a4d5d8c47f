import type { Type } from '@nestjs/common';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsBoolean,
  isEmail,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsUrl,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { field, type FieldOptions } from './field.js';
import { hasImpossibleDate, hasOffset, parseInstant } from './instant.js';
import { IsText, IsTextList, IsVisible, oneOf, Rule } from './rules.js';
import { textProblem, type TextLimits, trim } from './text.js';

const urlMaximum = 2048;
const emailMaximum = 254;
const recordId = /^[0-9a-fA-F]{24}$/;
const httpUrl = /^https?:\/\/(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/i;
const passwordLimits = { min: 8, max: 200, allowBlank: true } satisfies TextLimits;

/** A trimmed string within limits counted in code points. */
export function TextField(options: FieldOptions & Omit<TextLimits, 'min'>): PropertyDecorator {
  const { max, allowBlank = false, multiline = false, ...rest } = options;
  const schema = { type: String, maxLength: max, ...(!allowBlank && { minLength: 1 }) };
  return field(rest, { convert: trim, schema, stored: 'String' }, IsText({ max, allowBlank, multiline }));
}

export const passwordProblem = (value: unknown) => textProblem(value, passwordLimits);

export function emailProblem(value: unknown): string | undefined {
  return textProblem(value, { max: emailMaximum }) ?? (isEmail(value) ? undefined : 'must be an email address');
}

/** A new password: 8 to 200 characters, kept as sent. */
export function PasswordField(options: FieldOptions): PropertyDecorator {
  const { min: minLength, max: maxLength } = passwordLimits;
  const schema = { type: String, format: 'password', minLength, maxLength };
  return field(options, { schema }, IsText(passwordLimits));
}

/** An email address; `lowerCase` for logins, which ignore case. */
export function EmailField({ lowerCase, ...options }: FieldOptions & { lowerCase?: boolean }): PropertyDecorator {
  const convert = (sent: unknown) => {
    const text = trim(sent);
    return lowerCase === true && typeof text === 'string' ? text.toLowerCase() : text;
  };
  const schema = { type: String, format: 'idn-email', maxLength: emailMaximum };
  return field(options, { convert, schema, stored: 'String' }, Rule('isEmailAddress', emailProblem));
}

/** An http or https URL in ASCII (RFC 3986). */
export function UrlField(options: FieldOptions): PropertyDecorator {
  const message = 'must be an http or https URL';
  return field(
    options,
    { convert: trim, schema: { type: String, format: 'uri', maxLength: urlMaximum }, stored: 'String' },
    IsText({ max: urlMaximum }),
    Matches(httpUrl, { message }),
    IsUrl({ require_tld: false, allow_underscores: true, allow_trailing_dot: true }, { message }),
    Rule('isParsable', (value) => (URL.canParse(String(value)) ? undefined : message)),
  );
}

/** A JSON boolean; in a `query`, `true` or `false`. */
export function BooleanField({ query, ...options }: FieldOptions & { query?: boolean }): PropertyDecorator {
  const convert = (sent: unknown) => (sent === 'true' ? true : sent === 'false' ? false : sent);
  return field(
    options,
    { ...(query === true && { convert }), schema: { type: Boolean }, stored: 'Boolean' },
    IsBoolean({ message: 'must be true or false' }),
  );
}

/** One of a fixed set of strings or integers, in OpenAPI the schema `enumName`. */
export function ChoiceField({
  enumName,
  choices,
  ...options
}: FieldOptions & { enumName?: string; choices: readonly (string | number)[] }): PropertyDecorator {
  const isNumber = typeof choices[0] === 'number';
  return field(
    options,
    {
      schema: { type: isNumber ? 'integer' : 'string', enum: [...choices], ...(enumName && { enumName }) },
      stored: isNumber ? 'Number' : 'String',
    },
    IsIn(choices, { message: `must be one of ${choices.join(', ')}` }),
  );
}

/** A query parameter with one or more of a fixed set of strings, separated by commas, repeated or both. */
export function ChoiceListField({
  choices,
  enumName,
  maxItems = choices.length,
  ...options
}: FieldOptions & {
  readonly choices: readonly string[];
  readonly enumName: string;
  readonly maxItems?: number;
}): PropertyDecorator {
  const convert = (sent: unknown) => String(sent).split(',').map(trim);
  const message = `must be one to ${maxItems} of ${choices.join(', ')}, separated by commas`;
  const schema = { isArray: true, enum: [...choices], enumName, maxItems };
  return field(
    options,
    { convert, schema },
    IsIn(choices, { each: true, message }),
    ArrayMaxSize(maxItems, { message }),
  );
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
  const { minimum, maximum, query, integer = query === true, ...rest } = options;
  const range = maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
  // One text for all rules, of which the first that fails names the problem.
  const message = `must be ${integer ? 'an integer' : 'a number'} ${range}`;
  const convert = (sent: unknown) => (typeof sent === 'string' && /^\d+$/.test(sent) ? Number(sent) : sent);
  return field(
    rest,
    {
      ...(query === true && { convert }),
      schema: { type: integer ? 'integer' : Number, minimum, ...(maximum !== undefined && { maximum }) },
      stored: 'Number',
    },
    integer ? IsInt({ message }) : IsNumber({}, { message }),
    Min(minimum, { message }),
    Max(maximum ?? Infinity, { message }),
  );
}

/** Returns whether a value is a record ID, 24 hexadecimal digits. */
export function isRecordId(value: unknown): value is string {
  return typeof value === 'string' && recordId.test(value);
}

/** The ID of a record: 24 hexadecimal digits, converted to lower case. */
export function RecordIdField(options: FieldOptions): PropertyDecorator {
  const convert = (sent: unknown) => (typeof sent === 'string' ? sent.toLowerCase() : sent);
  const schema = { type: String, pattern: recordId.source };
  const message = 'must be an ID of 24 hexadecimal digits';
  return field(options, { convert, schema, stored: 'ObjectId' }, Matches(recordId, { message }));
}

/** A team ID in a request: any visible text. The service rejects every unknown ID with 403, even a malformed one. */
export function TeamIdField(options: FieldOptions): PropertyDecorator {
  return field(options, { schema: { type: String, minLength: 1 }, stored: 'ObjectId' }, IsVisible());
}

/**
 * An ISO 8601 date-time; UTC if it has no time zone. In a `query`, an unescaped `+` arrives as a space.
 * @param options.zone a field beside which it must have an offset: a partner who sends both would mean a local time
 */
export function DateField({
  query,
  zone = '',
  response,
  ...options
}: FieldOptions & { example?: string; query?: boolean; zone?: string }): PropertyDecorator {
  const prepare = (text: string) => (query === true ? text.replace(/ (\d{2}(:?\d{2})?)$/, '+$1') : text.trim());
  return field(
    {
      ...options,
      response: { ...(options.example && { example: new Date(options.example).toISOString() }), ...response },
    },
    {
      convert: (sent, input) => {
        if (typeof sent !== 'string' || (typeof input[zone] === 'string' && !hasOffset(sent.trim()))) return sent;
        return parseInstant(prepare(sent)) ?? sent;
      },
      schema: { type: String, format: 'date-time' },
      stored: 'Date',
    },
    Rule('isInstant', (value) => {
      if (value instanceof Date) return undefined;
      if (typeof value === 'string' && parseInstant(prepare(value)) !== undefined)
        return `must have an offset such as Z or -06:00 beside ${zone}: without one, it would be read as UTC`;
      if (typeof value === 'string' && hasImpossibleDate(prepare(value))) return 'is not a calendar date';
      return 'must be an ISO 8601 date-time such as 2027-05-01T10:00:00Z, in the years 1970 to 2199';
    }),
  );
}

/** An object with fields of its own, each validated by its class. */
export function NestedField({ type, ...options }: FieldOptions & { type: Type<object> }): PropertyDecorator {
  const kind = { schema: { type }, nested: type, stored: 'Mixed' } as const;
  return field(options, kind, IsObject({ message: 'must be an object' }), ValidateNested());
}

interface ListLimits {
  readonly maxItems: number;
  /** Completes "omit it …", such as "to allow every address": an empty list would mean the opposite. Other lists can be empty. */
  readonly omitTo?: string;
  /** Defaults to one of the `enum` of `items`. */
  readonly entryProblem?: (value: string) => string | undefined;
  /** Converts an entry; by default, it is trimmed. */
  readonly convertEntry?: (sent: unknown) => unknown;
  /** The OpenAPI schema of an entry. */
  readonly items: { readonly minLength?: number; readonly maxLength?: number } | { enum: string[]; enumName: string };
}

/** An array of unique strings; each invalid entry is named by its index (`scopes[1]`). */
export function TextListField(options: FieldOptions & ListLimits): PropertyDecorator {
  const { maxItems, omitTo, convertEntry = trim, items, ...limits } = options;
  const { entryProblem = oneOf('enum' in items ? items.enum : []), ...rest } = limits;
  const notEmpty = ArrayNotEmpty({ message: `must have at least one entry; omit it ${omitTo}` });
  return field(
    rest,
    {
      convert: (sent) => (Array.isArray(sent) ? sent.map((entry) => convertEntry(entry)) : sent),
      schema: {
        ...('enum' in items ? { isArray: true, ...items } : { type: 'array', items: { type: 'string', ...items } }),
        ...(omitTo !== undefined && { minItems: 1 }),
        maxItems,
        uniqueItems: true,
      },
      stored: ['String'],
    },
    IsArray({ message: 'must be an array of strings' }),
    ...(omitTo === undefined ? [] : [notEmpty]),
    ArrayMaxSize(maxItems, { message: `must have at most ${maxItems} entries` }),
    IsTextList(entryProblem),
  );
}
