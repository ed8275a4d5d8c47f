import { bodyLimitOf } from './hostile-bodies.js';
import type { Call } from './operation-driver.js';
import type { Operation } from './operations.js';

/** A request that must be rejected, with a secret in a wrong place. */
interface InvalidRequest {
  readonly what: string;
  readonly call: Call;
}

/** Creates the secrets for invalid requests. */
export interface SecretSource {
  /** A new secret after a mark of personal data. */
  readonly secret: () => string;
  /** A new secret for the name of a field, which the error returns to its sender. */
  readonly name: () => string;
  readonly wrongCredentials: readonly string[];
}

/** Puts secrets into every wrong place of an otherwise valid request. */
export function invalidRequestsOf(operation: Operation, call: Call, words: SecretSource): InvalidRequest[] {
  return [
    ...(operation.caller === 'anybody' ? [] : invalidCredentialRequests(call, words)),
    ...invalidParameterRequests(operation, call, words),
    ...invalidBodyRequests(operation, call, words),
    ...invalidHeaderRequests(operation, call, words),
    ...(operation.id === 'login' ? [unknownEmailLogin(call, words)] : []),
  ];
}

function invalidCredentialRequests(call: Call, { wrongCredentials }: SecretSource): InvalidRequest[] {
  return wrongCredentials.map((Authorization, index) => ({
    what: `wrong credential ${index}`,
    call: { ...call, headers: { ...call.headers, Authorization } },
  }));
}

function invalidParameterRequests({ parameters }: Operation, call: Call, words: SecretSource): InvalidRequest[] {
  const declared = parameters.flatMap(({ in: place, name }): InvalidRequest[] => {
    const value = { [name]: words.secret() };
    if (place === 'path') return [{ what: `as ${name}`, call: { ...call, path: { ...call.path, ...value } } }];
    // An external ID has no slash, and no text is that long.
    const wrong = { [name]: `${words.secret()}/`.padEnd(300, 'x') };
    if (place === 'query') return [{ what: `as ${name}`, call: { ...call, query: { ...call.query, ...wrong } } }];
    return [];
  });
  const query = (extra: Call['query']) => ({ ...call, query: { ...call.query, ...extra } });
  return [
    ...declared,
    { what: 'as an unknown parameter', call: query({ password: words.secret(), apiKey: words.secret() }) },
    { what: 'as the name of a parameter', call: query({ [words.name()]: '1' }) },
  ];
}

function invalidBodyRequests(operation: Operation, call: Call, words: SecretSource): InvalidRequest[] {
  const { secret } = words;
  const own = typeof call.body === 'object' ? call.body : {};
  const bodies: [string, object | string][] = [
    ...wrongBodies(own, secret),
    ['as an unknown field', { ...own, secret: secret() }],
    ['as an unknown field of an object', { ...own, unknown: { inner: [secret()] } }],
    ['as the name of a field', { ...own, [words.name()]: secret() }],
    ['as a hidden field', `{"__proto__":{"password":"${secret()}"}}`],
    ['in malformed JSON', `{"password":"${secret()}"`],
    ['as malformed JSON', secret()],
    ['in a list instead of an object', JSON.stringify([secret()])],
    ['as a text instead of an object', JSON.stringify(secret())],
    ['nested too deep', `{"a":${'['.repeat(40)}"${secret()}"${']'.repeat(40)}}`],
    ['in a body that is too large', JSON.stringify({ password: secret(), more: 'a'.repeat(bodyLimitOf(operation)) })],
  ];
  return bodies.map(([what, body]) => ({ what, call: { ...call, body } }));
}

function invalidHeaderRequests({ parameters }: Operation, call: Call, { secret }: SecretSource): InvalidRequest[] {
  const body = JSON.stringify({ password: secret() });
  const withHeaders = (what: string, extra: Call['headers']): InvalidRequest => ({
    what,
    call: { ...call, body, headers: { ...call.headers, ...extra } },
  });
  const takesKey = parameters.some(({ name }) => name === 'idem-key');
  return [
    withHeaders('as the type', { 'Content-Type': secret() }),
    withHeaders('as the character set', { 'Content-Type': `application/json; charset=${secret()}` }),
    withHeaders('as the encoding', { 'Content-Encoding': secret() }),
    ...(takesKey ? [withHeaders('in an idem-key with a space', { 'idem-key': `${secret()} x` })] : []),
  ];
}

/** A password in place of the email, in the form of an email. */
function unknownEmailLogin(call: Call, { secret }: SecretSource): InvalidRequest {
  return { what: 'as an email', call: { ...call, body: { email: `${secret()}@example.com`, password: secret() } } };
}

/** Replaces each value of a body, at any depth, by a secret that is invalid there. */
function wrongBodies(body: object, secret: () => string): [string, object][] {
  return Object.entries(body).flatMap(([name, value]: [string, unknown]) => {
    const wrong: [string, object][] = [
      [`as ${name}`, { ...body, [name]: isAnyText(value, name) ? [secret()] : secret() }],
    ];
    // Fields that accept any value are skipped.
    if (typeof value !== 'object' || value === null || Array.isArray(value) || name === 'location') return wrong;
    const inner = wrongBodies(value, secret).map(([what, other]): [string, object] => [
      what,
      { ...body, [name]: other },
    ]);
    return [...wrong, ...inner];
  });
}

/** Whether any string is valid there, so that a secret would be accepted: free texts, external IDs and passwords. */
function isAnyText(value: unknown, name: string): boolean {
  return (typeof value === 'string' && value.includes(' ')) || /password|^location$|^externalId$/i.test(name);
}

/** The operations that ignore the query: people and services add parameters of their own to their URLs. */
export const ignoringQuery: ReadonlySet<string> = new Set(['getCalendar', 'getLive', 'getReady']);
