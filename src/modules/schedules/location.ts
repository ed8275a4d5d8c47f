import { field } from '../../validation/field.js';
import { isJsonObject, prototypeKeys } from '../../validation/json.js';
import { Rule } from '../../validation/rules.js';
import { textProblem } from '../../validation/text.js';

const maxTextLength = 500;
const maxBytes = 2_048;
const maxLevels = 3;

/** The keys that map services use. With known properties, every generator creates a type that compiles. */
const coordinates = { latitude: {}, longitude: {} };

/** A place: a text, or an object of a map service. */
export function LocationField(): PropertyDecorator {
  return field(
    {
      description:
        'The location: a string of at most 500 characters, or an object of at most 2 KB of JSON and 3 levels whose keys do not start with `$` or contain `.`. Stored as sent.',
      example: { latitude: 37.8, longitude: -122.27 },
      response: { description: 'The location as it was sent.' },
      clearable: true,
    },
    {
      schema: {
        type: Object,
        oneOf: [
          { type: 'string', maxLength: maxTextLength },
          { type: 'object', properties: coordinates, additionalProperties: true },
        ],
      },
      stored: 'Mixed',
    },
    Rule('isLocation', locationProblem),
  );
}

/** A schedule's `location` is a string, or a JSON object whose keys the database can store. It is stored as sent. */
export function locationProblem(value: unknown): string | undefined {
  if (typeof value === 'string') return textProblem(value, { max: maxTextLength, allowBlank: true });
  if (!isJsonObject(value)) return 'must be a string or an object';
  if (Buffer.byteLength(JSON.stringify(value)) > maxBytes) return `must have at most ${maxBytes} bytes as JSON`;
  return innerProblem(value, 1);
}

function innerProblem(value: unknown, level: number): string | undefined {
  if (typeof value === 'string') return textProblem(value, { max: maxBytes, allowBlank: true });
  if (typeof value === 'number') return numberProblem(value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (level > maxLevels) return `must be nested at most ${maxLevels} levels deep`;
  for (const [key, inner] of Object.entries(value)) {
    const problem = (Array.isArray(value) ? undefined : keyProblem(key)) ?? innerProblem(inner, level + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Rejects larger numbers: they lose digits when the JSON is parsed, so they cannot be stored as sent. */
function numberProblem(value: number): string | undefined {
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return undefined;
  return `must only contain numbers from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`;
}

/** Rejects keys that the database would interpret as operators, paths or types, or that can reach a prototype. */
function keyProblem(key: string): string | undefined {
  if (key.startsWith('$')) return 'must not have a key that starts with $';
  if (key.includes('.')) return 'must not have a key that contains a period';
  if (prototypeKeys.has(key) || key === '_bsontype') return `must not have a key named ${key}`;
  return textProblem(key, { max: maxBytes, allowBlank: true }) === undefined
    ? undefined
    : 'must not have a key with control characters';
}
