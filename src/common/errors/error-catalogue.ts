/** One kind of refusal. `code` is the five-digit service code; its first three digits are the HTTP status. */
export interface CatalogueEntry {
  readonly code: number;
  /** The message when the place that refuses has nothing more exact to say. */
  readonly message: string;
  /** When partners or admins meet it: published in docs/errors.md and in the OpenAPI documents. */
  readonly when: string;
}

/**
 * Every refusal this server can give, in one place. `docs/errors.md` and the enumeration of `error` in the
 * OpenAPI documents are generated from it (`npm run openapi`).
 */
export const errorCatalogue = {
  malformedRequest: {
    code: 40000,
    message: 'The request is malformed',
    when: 'The JSON cannot be read, the body is no object, is nested deeper than 32 levels, the request line or a header is malformed, a header that may stand once was sent twice, the headers are larger than 16 KB, or the request was not sent in time.',
  },
  invalidField: {
    code: 40001,
    message: 'A field is wrong',
    when: 'A body field, a query parameter or an id in the path is wrong. `message` says the first problem, `details` all of them (at most 50).',
  },
  opponentMissing: {
    code: 40002,
    message: 'Either teamTwoId or teamTwoName must be provided',
    when: 'A schedule is created with neither `teamTwoId` nor `teamTwoName`.',
  },
  idempotencyKeyInvalid: {
    code: 40003,
    message: 'The idem-key header must have 1 to 255 visible ASCII characters',
    when: 'The `idem-key` header is missing where it is required, or malformed.',
  },
  invalidApiKey: {
    code: 40101,
    message: 'Invalid API key',
    when: 'The API key is missing, malformed, unknown, wrong, revoked or expired, or its organization or creator is disabled.',
  },
  invalidLogin: {
    code: 40102,
    message: 'The login is invalid',
    when: 'A login was refused, or the admin token is missing, invalid, expired or ended.',
  },
  teamForbidden: {
    code: 40301,
    message: "The team does not belong to the API key's organization",
    when: "The named team is not one of the API key's organization.",
  },
  resourceForbidden: {
    code: 40302,
    message: "The resource does not belong to the API key's organization",
    when: 'The named schedule, season or other record belongs to another organization.',
  },
  roleForbidden: {
    code: 40303,
    message: 'Your role may not do this',
    when: "The admin's role does not allow the request, or admins would disable themselves.",
  },
  scheduleOfAnotherTeam: {
    code: 40304,
    message: 'The schedule belongs to another team',
    when: 'The `teamId` that was sent is not the team that owns the schedule.',
  },
  scopeMissing: {
    code: 40305,
    message: 'The API key lacks a scope',
    when: 'The API key was not given the scope that the request needs; `message` names it.',
  },
  addressForbidden: {
    code: 40306,
    message: 'The API key may not be used from this address',
    when: 'The API key is right, but was given allowed addresses, and the request comes from another one; `message` names it.',
  },
  routeNotFound: { code: 40400, message: 'No such route', when: 'The path is unknown.' },
  scheduleNotFound: { code: 40402, message: 'Schedule not found', when: 'The schedule is unknown or deleted.' },
  playerNotFound: {
    code: 40403,
    message: 'Player not found',
    when: 'The player is unknown, deleted, or belongs to another team.',
  },
  seasonNotFound: { code: 40404, message: 'Season not found', when: 'The season is unknown.' },
  apiKeyNotFound: { code: 40405, message: 'API key not found', when: 'The API key is unknown.' },
  organizationNotFound: { code: 40406, message: 'Organization not found', when: 'The organization is unknown.' },
  userNotFound: { code: 40407, message: 'User not found', when: 'The user is unknown.' },
  methodNotAllowed: {
    code: 40500,
    message: 'The method is not allowed here',
    when: 'The path is known, the method is not; the `Allow` header lists those that are.',
  },
  alreadyExists: {
    code: 40901,
    message: 'It already exists',
    when: 'A record with this unique value exists.',
  },
  idempotencyKeyBusy: {
    code: 40902,
    message: 'A request with this idem-key is still being worked on',
    when: 'Another request with the same `idem-key` is not finished; try again after `Retry-After` seconds.',
  },
  apiKeyRevoked: { code: 40903, message: 'The API key is revoked', when: 'A revoked API key cannot be rotated.' },
  changedMeanwhile: {
    code: 40904,
    message: 'Another admin changed it at the same moment',
    when: 'Two admins rotated the same API key at once: one of them did, the other one gets this and no secret.',
  },
  bodyTooLarge: { code: 41300, message: 'The body is too large', when: 'The body is larger than the route allows.' },
  mediaTypeNotSupported: {
    code: 41500,
    message: 'The body must be sent as application/json',
    when: 'A body was sent with another media type, character set or encoding.',
  },
  idempotencyKeyReused: {
    code: 42201,
    message: 'This idem-key was used with another body',
    when: 'The same `idem-key` was sent before with another body.',
  },
  rateLimited: {
    code: 42901,
    message: 'Too many requests',
    when: 'The rate limit of this API key and controller is used up; `Retry-After` says when the next request succeeds.',
  },
  authenticationLimited: {
    code: 42902,
    message: 'Too many failed authentications',
    when: 'Too many failed authentications from this address, or logins for this email; try again after `Retry-After` seconds.',
  },
  internal: {
    code: 50000,
    message: 'Internal error',
    when: 'The server failed; quote the `traceId` when you report it.',
  },
  databaseUnavailable: {
    code: 50301,
    message: 'The database cannot be reached',
    when: 'The database is away; try again after `Retry-After` seconds.',
  },
  overloaded: {
    code: 50302,
    message: 'The server is overloaded',
    when: 'The server has more work than it can do; try again after `Retry-After` seconds.',
  },
} as const satisfies Record<string, CatalogueEntry>;

/** The HTTP status of a catalogue entry: the first three digits of its code. */
export function statusOf(entry: CatalogueEntry): number {
  return Math.floor(entry.code / 100);
}
