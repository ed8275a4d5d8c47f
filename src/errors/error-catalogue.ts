/** One kind of error. The first three digits of the five-digit `code` are the HTTP status. */
export interface CatalogueEntry {
  readonly code: number;
  /** Default message, for errors without a more specific one. */
  readonly message: string;
  /** When it occurs and what to do; published in docs/errors.md and the OpenAPI documents. */
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
    when: 'The body is not valid JSON, not an object, nested deeper than 32 levels or has more than one value per 32 bytes of its size limit; the request line or a header is malformed; a header that must be unique is repeated; the headers are larger than 16 KB; or the request was not sent in time.',
  },
  invalidField: {
    code: 40001,
    message: 'A field is invalid',
    when: 'A body field, query parameter or path ID is invalid. `message` has the first problem, `details` all invalid fields of the body or query (at most 50).',
  },
  opponentMissing: {
    code: 40002,
    message: 'Either teamTwoId or teamTwoName must be provided',
    when: 'A new schedule has neither `teamTwoId` nor `teamTwoName`.',
  },
  idempotencyKeyInvalid: {
    code: 40003,
    message: 'The idem-key header must have 1 to 255 visible ASCII characters',
    when: 'The `idem-key` (or `Idempotency-Key`) header is missing on a route that requires it, or malformed; or both are sent with different values.',
  },
  invalidApiKey: {
    code: 40101,
    message: 'Invalid API key',
    when: 'The API key is missing, invalid, expired or revoked, or its organization or creator is disabled. If the `Authorization` header is missing or malformed, `details` says so.',
  },
  invalidLogin: {
    code: 40102,
    message: 'Invalid login or token',
    when: 'The login was rejected, or the admin token is missing, invalid, expired or no longer accepted. Log in again.',
  },
  teamForbidden: {
    code: 40301,
    message: "The team does not belong to the API key's organization",
    when: "The team is not in the API key's organization. Unknown teams get the same error. `details` names the field.",
  },
  resourceForbidden: {
    code: 40302,
    message: "The resource does not belong to the API key's organization",
    when: 'The schedule or season belongs to another organization.',
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
    when: 'The API key lacks the scope that the request requires; `message` names the scope.',
  },
  addressForbidden: {
    code: 40306,
    message: 'The API key may not be used from this address',
    when: 'The API key is valid, but not from this address; `message` names the address. Ask the operator to allow it.',
  },
  sandboxOnly: {
    code: 40307,
    message: 'Only the API key of a sandbox may do this',
    when: 'A sandbox was to be reset with the API key of another organization. Use a key that begins with the prefix of test keys.',
  },
  routeNotFound: { code: 40400, message: 'Route not found', when: 'The path does not exist. Check the URL.' },
  teamNotFound: {
    code: 40401,
    message: 'Team not found',
    when: 'The organization has no team with this `externalId`.',
  },
  scheduleNotFound: { code: 40402, message: 'Schedule not found', when: 'The schedule does not exist or was deleted.' },
  playerNotFound: {
    code: 40403,
    message: 'Player not found',
    when: 'The player does not exist, was deleted, or belongs to another team.',
  },
  seasonNotFound: { code: 40404, message: 'Season not found', when: 'The season does not exist.' },
  apiKeyNotFound: { code: 40405, message: 'API key not found', when: 'The API key does not exist.' },
  organizationNotFound: { code: 40406, message: 'Organization not found', when: 'The organization does not exist.' },
  userNotFound: { code: 40407, message: 'User not found', when: 'The user does not exist.' },
  webhookEndpointNotFound: { code: 40408, message: 'Webhook endpoint not found', when: 'The endpoint does not exist.' },
  deliveryNotFound: { code: 40409, message: 'Delivery not found', when: 'The endpoint has no such delivery.' },
  calendarLinkNotFound: {
    code: 40410,
    message: 'Calendar link not found',
    when: 'The team has no such calendar link; or the link of a calendar was deleted, or its organization or team is gone.',
  },
  methodNotAllowed: {
    code: 40500,
    message: 'Method not allowed',
    when: 'The path exists, but not with this method; the `Allow` header lists its methods.',
  },
  alreadyExists: {
    code: 40901,
    message: 'A record with this value already exists',
    when: 'Another record has the same unique value, such as a user email.',
  },
  idempotencyKeyBusy: {
    code: 40902,
    message: 'A request with this idem-key is in progress',
    when: 'Another request with the same `idem-key` has not finished. Retry after `Retry-After` seconds.',
    retryAfterSeconds: 1,
  },
  apiKeyRevoked: {
    code: 40903,
    message: 'The API key is revoked',
    when: 'A revoked API key cannot be rotated. Create a new one.',
  },
  apiKeyRotatedConcurrently: {
    code: 40904,
    message: 'Another admin rotated this API key at the same time',
    when: 'Two admins rotated the same API key at the same time. Only the other request returned a new secret.',
  },
  externalIdTaken: {
    code: 40905,
    message: 'Another record has this externalId',
    when: 'Another record that is not deleted has the same `externalId`. Read it with `…/by-external-id/{externalId}`.',
  },
  tooManyEndpoints: {
    code: 40906,
    message: 'The organization has ten webhook endpoints',
    when: 'The organization has ten webhook endpoints. Change or delete one.',
  },
  endpointDisabled: {
    code: 40907,
    message: 'The webhook endpoint is disabled',
    when: 'The webhook endpoint is disabled. Enable it; if the operator has disabled it, ask them.',
  },
  teamInUse: {
    code: 40908,
    message: 'The team has players or schedules',
    when: 'The team has players or schedules that are not deleted. Delete them first, or archive the team.',
  },
  tooManyCalendarLinks: {
    code: 40909,
    message: 'The team has 20 calendar links',
    when: 'The team has 20 calendar links. Delete one.',
  },
  cursorExpired: {
    code: 41001,
    message: 'The cursor has expired; start again without a cursor',
    when: 'The cursor of `GET /changes` is older than 30 days, the database was restored, or the sandbox was reset. Start again without a cursor.',
  },
  revisionMismatch: {
    code: 41201,
    message: 'The record was changed: its revision is not the one in If-Match',
    when: 'The record has another revision than `If-Match`. Read it again, and repeat the change if it still applies.',
  },
  bodyTooLarge: {
    code: 41300,
    message: 'The body is too large',
    when: 'The body is larger than the route allows; `message` names the limit.',
  },
  mediaTypeNotSupported: {
    code: 41500,
    message: 'The body must be sent as application/json',
    when: 'The body has another media type, charset or content encoding.',
  },
  idempotencyKeyReused: {
    code: 42201,
    message: 'This idem-key was used with a different body',
    when: 'The same `idem-key` was sent with a different body in the last 24 hours. Use a new key for a new record.',
  },
  rateLimited: {
    code: 42901,
    message: 'Too many requests',
    when: 'The rate limit of the API key for this resource is exceeded. Retry after `Retry-After` seconds.',
  },
  authenticationLimited: {
    code: 42902,
    message: 'Too many failed authentications',
    when: 'Too many failed authentications from this address, a wrong secret of this API key from it, or too many failed logins from it for this email. Retry after `Retry-After` seconds.',
  },
  internal: {
    code: 50000,
    message: 'Internal error',
    when: 'Unexpected server error. Report it with the `traceId`.',
    logLevel: 'error',
  },
  databaseUnavailable: {
    code: 50301,
    message: 'The database is unavailable',
    when: 'The database is unavailable, or the server is starting or stopping. Retry after `Retry-After` seconds.',
    retryAfterSeconds: 1,
    logLevel: 'warn',
  },
  overloaded: {
    code: 50302,
    message: 'The server is overloaded',
    when: 'The server is handling too many requests. Retry after `Retry-After` seconds.',
    retryAfterSeconds: 1,
    logLevel: 'warn',
  },
} as const satisfies Record<string, CatalogueEntry>;

/** Returns the HTTP status: the first three digits of the code. */
export function statusOf(entry: CatalogueEntry): number {
  return Math.floor(entry.code / 100);
}
