import type { AdminContext, RequestContext } from '../common/context/request-context.js';

/** The caller that a presented API key authenticates, and the addresses that it may be used from. */
export interface KeyHolder extends Pick<RequestContext, 'organization' | 'actingUser' | 'apiKey'> {
  /** Addresses and networks; undefined allows all. */
  readonly allowedAddresses: readonly string[] | undefined;
}

/** Authenticates API keys for the access guard. The api-keys module implements it. */
export abstract class ApiKeyAuthentication {
  /**
   * Returns the holder of a presented key, or null if the key is not valid.
   * @throws ServiceError 50302 if too many keys are verified for the first time at once
   */
  abstract identify(presented: string): Promise<KeyHolder | null>;

  /** Records that a key was used just now. */
  abstract recordUse(keyId: string): void;
}

/** Authenticates the tokens of logged-in admins for the access guard. The auth module implements it. */
export abstract class TokenAuthentication {
  /** Returns the user to whom a token was issued, or null if the token or the user is not valid. */
  abstract identify(token: string): Promise<AdminContext['user'] | null>;
}
