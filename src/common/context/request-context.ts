import type { ApiKeyScope } from '../http/public-api.js';

/** Aborted once a request has timed out. Every write checks it first. */
export type DeadlineSignal = Pick<AbortSignal, 'aborted'>;

/**
 * Authenticates the caller again if that was last done more than 300 ms ago, so that a key revoked meanwhile cannot
 * complete a write. Called before each write.
 * @throws ServiceError 401 like the access guard
 */
export type ConfirmAccess = () => Promise<void>;

/** The tenant. Required by every query of organization data. */
export interface OrganizationScope {
  readonly organization: { readonly id: string };
  /** Aborted once the request has timed out; further writes are then rejected. */
  readonly signal?: DeadlineSignal;
  readonly confirmAccess?: ConfirmAccess;
}

/** The caller of a public route, from its API key. Passed on as the first argument. */
export interface RequestContext extends OrganizationScope {
  readonly organization: { readonly id: string; readonly name: string };
  /** The organization's creator, as whom the key acts. */
  readonly actingUser: { readonly id: string };
  readonly apiKey: {
    readonly id: string;
    readonly keyPrefix: string;
    /** Omitted if the key may do everything. */
    readonly scopes?: readonly ApiKeyScope[];
  };
  readonly requestId: string;
}

export const adminRoles = ['superAdmin', 'organizationCreator', 'organizationAdmin'] as const;
export type AdminRole = (typeof adminRoles)[number];

/** The caller of an admin route, from its token. */
export interface AdminContext {
  readonly user: {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    readonly role: AdminRole;
    /** The organization of a creator or admin; super admins have none. */
    readonly organizationId?: string;
  };
  readonly requestId: string;
  /** The client's address. */
  readonly address: string;
  /** See `OrganizationScope`. */
  readonly signal?: DeadlineSignal;
  readonly confirmAccess?: ConfirmAccess;
}

/** The caller of an open route. */
export type AnonymousContext = Pick<AdminContext, 'requestId' | 'address'>;

/** The author of changes without a login: the server itself, or an operator on the command line. */
export interface SystemContext {
  readonly system: 'server' | 'operator';
  readonly signal?: undefined;
  readonly confirmAccess?: undefined;
}

/** The author of a change, for the audit. Passed on as the first argument. */
export type Author = AdminContext | SystemContext;
