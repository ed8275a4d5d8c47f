import type { ApiKeyScope } from './public-api.js';

/** Part of every context, so that code that writes without a context does not compile. */
export interface WriteContext {
  /**
   * Rejects a write of a request that has timed out, or whose caller has lost access since it was authenticated. Called
   * before each write or its transaction; `AccessGuard` creates it for callers.
   * @throws ServiceError 50301, or 401 like the access guard
   */
  readonly assertMayWrite: () => Promise<void>;
  /** The revisions in the `If-Match` header of a write, or `*`, on routes with `@Conditional`. */
  readonly ifMatch?: '*' | readonly number[];
  /** The same of `If-None-Match`. */
  readonly ifNoneMatch?: '*' | readonly number[];
  /** Reports that an upsert has created the record, which the response says; on routes with `@Conditional`. */
  readonly onCreated?: () => void;
  /** Reports the revision of the record in the response, for `ETag`; on routes with `@Conditional`. */
  readonly onRevision?: (revision: number) => void;
}

/** Allows every write: for the server itself and operators, who have no deadline and cannot lose access. */
export const unconditional: WriteContext = { assertMayWrite: () => Promise.resolve() };

/** The organization whose records a caller reads and writes. Required by every query of its data. */
export interface Tenant extends WriteContext {
  readonly organization: { readonly id: string };
  /** The caller, if it is an API key. */
  readonly apiKey?: ApiKeyIdentity;
  /** The caller, if it is an admin. */
  readonly user?: object;
}

interface ApiKeyIdentity {
  readonly name: string;
  readonly keyPrefix: string;
}

/** Why a known API key is rejected. */
export const keyRejections = ['revoked', 'expired', 'wrongSecret', 'disabled'] as const;
export type KeyRejection = (typeof keyRejections)[number];

/** What is recorded of the API key of a request. */
export interface KnownKey extends ApiKeyIdentity {
  readonly id: string;
  readonly organizationId: string;
}

/** Identifies a request that must take effect only once. */
export interface IdempotencyKey {
  /** Method and full path; the same header on another path is a different key. Stored as `idempotency.scope`. */
  readonly route: string;
  readonly keyHash: string;
  /** Hash of the parsed body, independent of the order of its keys. */
  readonly fingerprint: string;
}

/** Who reads and writes the records of an organization: an API key, or a super admin. */
export interface RecordContext extends Tenant {
  /** The organization's creator, as whom a key acts, or the super admin. */
  readonly actingUser: { readonly id: string };
  /** From the `idem-key` header, on routes with `@Idempotent()`. */
  readonly idempotencyKey?: IdempotencyKey;
}

/** The caller of a public route, from its API key. Passed on as the first argument. */
export interface RequestContext extends RecordContext, AnonymousContext {
  readonly organization: {
    readonly id: string;
    /** Only of a sandbox; `resets` counts the starts and ends of its resets. */
    readonly sandbox?: { readonly resets: number };
  };
  readonly apiKey: ApiKeyIdentity & {
    readonly id: string;
    /** Omitted if the key may do everything. */
    readonly scopes?: readonly ApiKeyScope[];
  };
}

export const adminRoles = ['superAdmin', 'organizationCreator', 'organizationAdmin'] as const;
export type AdminRole = (typeof adminRoles)[number];

/** The caller of an admin route, from its token. */
export interface AdminContext extends WriteContext {
  readonly user: {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    readonly role: AdminRole;
    /** The organization of a creator or admin; super admins have none. */
    readonly organizationId?: string;
    /** False for a user without a confirmed second factor. */
    readonly hasSecondFactor?: boolean;
    /** The session of the token, which signing out ends. */
    readonly sessionId?: string;
  };
  readonly requestId: string;
  readonly address: string;
}

/** The caller of an open route. */
export type AnonymousContext = Pick<AdminContext, 'requestId' | 'address'>;

/**
 * The actor of a change, for the audit log: an admin, the server itself, or an operator on the command line. Passed on as
 * the first argument.
 */
export type Actor = AdminContext | (WriteContext & { readonly system: 'server' | 'cli' });
