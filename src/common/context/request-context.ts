import type { ApiKeyScope } from './api-key-scopes.js';

/** Aborted once a request has timed out. Every write checks it first. */
export type DeadlineSignal = Pick<AbortSignal, 'aborted'>;

/**
 * Authenticates the caller again where that was last done more than 300 ms ago, so that a key revoked while a request waits
 * cannot complete a write. Called before each write.
 * @throws ServiceError 401, as the access guard
 */
export type ConfirmAccess = () => Promise<void>;

/** Whose data an operation may touch. Every query of organization data demands it. */
export interface OrganizationScope {
  readonly organization: { readonly id: string };
  /** Aborted where the request was refused for lack of time: from then on nothing may be written for it. */
  readonly signal?: DeadlineSignal;
  readonly confirmAccess?: ConfirmAccess;
}

/** Who calls a public route: made by the access guard from the API key, handed on as the first argument. */
export interface RequestContext extends OrganizationScope {
  readonly organization: { readonly id: string; readonly name: string };
  /** The creator of the organization, in whose name the key acts. */
  readonly actingUser: { readonly id: string };
  readonly apiKey: {
    readonly id: string;
    readonly keyPrefix: string;
    /** What the key may do; left out: everything. */
    readonly scopes?: readonly ApiKeyScope[];
  };
  readonly requestId: string;
}

export const adminRoles = ['superAdmin', 'organizationCreator', 'organizationAdmin'] as const;
export type AdminRole = (typeof adminRoles)[number];

/** Who calls an admin route: made by the access guard from the login's token. */
export interface AdminContext {
  readonly user: {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    readonly role: AdminRole;
    /** The organization of a creator or an admin; a super admin has none. */
    readonly organizationId?: string;
  };
  readonly requestId: string;
  /** The client's address. */
  readonly address: string;
  /** As in an `OrganizationScope`. */
  readonly signal?: DeadlineSignal;
  readonly confirmAccess?: ConfirmAccess;
}

/** Who calls a route that is open to everybody. */
export type AnonymousContext = Pick<AdminContext, 'requestId' | 'address'>;

/** What changes something without a login: this server by itself, or an operator at its command line. */
export interface SystemContext {
  readonly system: 'server' | 'operator';
  readonly signal?: undefined;
  readonly confirmAccess?: undefined;
}

/** Who changes what admins manage: handed on as the first argument, for the audit. */
export type Author = AdminContext | SystemContext;
