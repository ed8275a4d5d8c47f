/** One kind of error. The first three digits of the five-digit `code` are the HTTP status. */
export interface CatalogueEntry {
  readonly code: number;
  /** Default message, for errors without a more specific one. */
  readonly message: string;
  /** When it occurs and what to do. docs/errors.md and the OpenAPI documents have it after the message. */
  readonly when: string;
  /** Default of `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Level at which `ErrorFilter` logs it, an error with its stack trace. Others have only their request's line. */
  readonly logLevel?: 'error' | 'warn';
}

/** All errors of the API. `npm run openapi` writes them to `docs/errors.md` and the OpenAPI documents. */
export const errorCatalogue = {
  malformedRequest: {
    code: 40000,
    message: 'The request is malformed',
    when: 'The body is not a JSON object, is nested deeper than 32 levels, or has more than one value per 32 bytes of its size limit; the request line or a header is malformed, repeated or larger than 16 KB; or the request took too long to arrive.',
  },
  invalidField: {
    code: 40001,
    message: 'A field is invalid',
    when: 'It can be in the body, the query or the path. `message` has the first problem, `details` all of the body or query (at most 50).',
  },
  opponentMissing: {
    code: 40002,
    message: 'Either teamTwoId or teamTwoName must be provided',
    when: 'A new schedule has neither `teamTwoId` nor `teamTwoName`.',
  },
  idempotencyKeyInvalid: {
    code: 40003,
    message: 'The idem-key header must have 1 to 255 visible ASCII characters',
    when: 'The header is malformed or missing, or `idem-key` and `Idempotency-Key` differ.',
  },
  invalidApiKey: {
    code: 40101,
    message: 'Invalid API key',
    when: "The key is missing, invalid, expired or revoked, or the key's organization, or the creator of that organization, is disabled. If the `Authorization` header is missing or malformed, `details` says so.",
  },
  invalidLogin: {
    code: 40102,
    message: 'Invalid login or token',
    when: 'The login was rejected, or the admin token is missing, invalid, expired or no longer accepted. Log in again.',
  },
  secondFactorRejected: {
    code: 40103,
    message: 'The code of the second factor is wrong or was already used',
    when: 'It can also be missing; `message` says which. An app shows a new code every 30 seconds, and each recovery code works once.',
  },
  resetTokenInvalid: {
    code: 40104,
    message: 'The token for a new password is wrong, used or expired',
    when: 'It also stops working when a newer token replaces it or its user is disabled. Ask a super admin for a new one.',
  },
  teamForbidden: {
    code: 40301,
    message: "The team does not belong to the API key's organization",
    when: 'Unknown teams get the same error. `details` names the field.',
  },
  resourceForbidden: {
    code: 40302,
    message: "The resource does not belong to the API key's organization",
    when: 'The schedule or season belongs to another organization or to all.',
  },
  roleForbidden: {
    code: 40303,
    message: 'Your role does not allow this',
    when: "The admin's role does not allow the request, or an admin tries to disable their own account.",
  },
  scheduleOfAnotherTeam: {
    code: 40304,
    message: 'The schedule belongs to another team',
    when: 'The `teamId` in the request is not the team that owns the schedule.',
  },
  scopeMissing: {
    code: 40305,
    message: 'The API key lacks a required scope',
    when: '`message` names the scope. Ask the operator to add it; the key stays the same. `GET /v1/public-api/me` lists the scopes that it has.',
  },
  addressForbidden: {
    code: 40306,
    message: 'The API key may not be used from this address',
    when: 'The key is valid, but not from this address, which `message` names. Ask the operator to allow it.',
  },
  sandboxOnly: {
    code: 40307,
    message: 'Only the API key of a sandbox may do this',
    when: 'Use a key that begins with the prefix of test keys.',
  },
  secondFactorMissing: {
    code: 40308,
    message: 'Set up a second factor first',
    when: 'This server requires it of super admins, or you reset that of another user. Use `POST /auth/second-factor`.',
  },
  routeNotFound: { code: 40400, message: 'Route not found. API: /v1/public-api, pages: /docs', when: 'Check the URL.' },
  teamNotFound: {
    code: 40401,
    message: 'Team not found',
    when: 'The team was deleted, or the organization has none with this `externalId`.',
  },
  scheduleNotFound: { code: 40402, message: 'Schedule not found', when: 'It does not exist or was deleted.' },
  playerNotFound: {
    code: 40403,
    message: 'Player not found',
    when: 'It does not exist, was deleted, or belongs to another team.',
  },
  seasonNotFound: { code: 40404, message: 'Season not found', when: 'Check its ID.' },
  apiKeyNotFound: { code: 40405, message: 'API key not found', when: 'Check its ID.' },
  organizationNotFound: { code: 40406, message: 'Organization not found', when: 'Check its ID.' },
  userNotFound: { code: 40407, message: 'User not found', when: 'Check its ID.' },
  webhookEndpointNotFound: { code: 40408, message: 'Webhook endpoint not found', when: 'Check its ID.' },
  deliveryNotFound: { code: 40409, message: 'Delivery not found', when: 'It is unknown or older than 30 days.' },
  calendarLinkNotFound: {
    code: 40410,
    message: 'Calendar link not found',
    when: 'The link, its team or the organization was deleted, or the organization or its creator is disabled.',
  },
  methodNotAllowed: {
    code: 40500,
    message: 'Method not allowed',
    when: 'The `Allow` header lists the methods of this path.',
  },
  alreadyExists: {
    code: 40901,
    message: 'A record with this value already exists',
    when: 'Another record has the same unique value, such as a user email.',
  },
  idempotencyKeyBusy: {
    code: 40902,
    message: 'A request with this idem-key is in progress',
    when: 'Retry after `Retry-After` seconds.',
    retryAfterSeconds: 1,
  },
  apiKeyRevoked: {
    code: 40903,
    message: 'The API key is revoked',
    when: 'It can be neither changed nor rotated. Create a new one.',
  },
  apiKeyRotatedConcurrently: {
    code: 40904,
    message: 'Another admin rotated this API key at the same time',
    when: 'Only the other request returned a new secret.',
  },
  externalIdTaken: {
    code: 40905,
    message: 'Another record has this externalId',
    when: 'Read that record with `…/by-external-id/{externalId}`.',
  },
  tooManyEndpoints: {
    code: 40906,
    message: 'The organization has ten webhook endpoints',
    when: 'Change or delete one.',
  },
  endpointDisabled: {
    code: 40907,
    message: 'The webhook endpoint is disabled',
    when: 'Enable it; if the operator has disabled it, ask them.',
  },
  teamInUse: {
    code: 40908,
    message: 'The team has players or schedules',
    when: 'Delete them first, or archive the team.',
  },
  tooManyCalendarLinks: {
    code: 40909,
    message: 'The team has 20 calendar links',
    when: 'Delete one.',
  },
  organizationEnabled: {
    code: 40910,
    message: 'The organization is enabled',
    when: 'Only a disabled organization can be erased. Disable it first.',
  },
  secondFactorExists: {
    code: 40911,
    message: 'You already have a second factor',
    when: 'Remove it with `DELETE /auth/second-factor` before you set up another one.',
  },
  secondFactorUnavailable: {
    code: 40912,
    message: 'The server has no key for second factors; its operator must set SECOND_FACTOR_KEY',
    when: 'This also occurs if the key is not the one with which the second factor was set up.',
  },
  cursorExpired: {
    code: 41001,
    message: 'The cursor has expired; start again without a cursor',
    when: 'The cursor of `GET /changes` is older than 30 days, the database was restored, the feed was built anew, or the sandbox was reset.',
  },
  revisionMismatch: {
    code: 41201,
    message: 'The revision of the record is not one that If-Match and If-None-Match accept',
    when: 'Read the record again, and repeat the change if it still applies. With `If-None-Match: *`, the record exists already.',
  },
  bodyTooLarge: {
    code: 41300,
    message: 'The body is too large',
    when: '`message` names the limit of the route.',
  },
  mediaTypeNotSupported: {
    code: 41500,
    message: 'The body must be sent as application/json',
    when: 'Another media type, charset or content encoding is not accepted.',
  },
  idempotencyKeyReused: {
    code: 42201,
    message: 'This idem-key was used with a different body',
    when: 'A key is kept for 24 hours. Use a new one for a new record.',
  },
  rateLimited: {
    code: 42901,
    message: 'Too many requests',
    when: 'The key has reached the rate limit of this resource. Retry after `Retry-After` seconds.',
  },
  authenticationLimited: {
    code: 42902,
    message: 'Too many failed authentications',
    when: 'Too many failures from this address or for this email; for a forged API key, one is enough. Retry after `Retry-After` seconds.',
  },
  internal: {
    code: 50000,
    message: 'Internal error',
    when: 'Report it with the `traceId`.',
    logLevel: 'error',
  },
  databaseUnavailable: {
    code: 50301,
    message: 'The database is unavailable',
    when: 'The database is unavailable, slow or not a replica set, the server is starting or stopping, or the change feed is being built. Retry after `Retry-After` seconds.',
    retryAfterSeconds: 1,
    logLevel: 'warn',
  },
  overloaded: {
    code: 50302,
    message: 'The server is overloaded',
    when: 'Too many requests, or conflicting writes of one record. Retry after `Retry-After` seconds.',
    retryAfterSeconds: 1,
    logLevel: 'warn',
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorName = keyof typeof errorCatalogue;

/** Returns the HTTP status: the first three digits of the code. */
export function statusOf(entry: CatalogueEntry): number {
  return Math.floor(entry.code / 100);
}
