import type { AdminContext, RequestContext } from '../common/context/request-context.js';

/** The caller that an API key authenticates, and the addresses that may use the key. */
export interface KeyHolder extends Pick<RequestContext, 'organization' | 'actingUser' | 'apiKey'> {
  /** Addresses and CIDR networks; undefined allows all. */
  readonly allowedAddresses: readonly string[] | undefined;
}

/** Authenticates API keys for the access guard. Implemented by `ApiKeyAuthenticator` in `modules/api-keys`. */
export abstract class ApiKeyAuthentication {
  /**
   * Returns the holder of an API key, or null if the key is invalid.
   * @throws ServiceError 50302 if too many keys are being verified for the first time
   */
  abstract authenticate(apiKey: string): Promise<KeyHolder | null>;

  /** Records the time of the key's last use. */
  abstract recordUse(keyId: string): void;
}

/** Authenticates admin tokens for the access guard. Implemented by `TokensService` in `modules/auth`. */
export abstract class TokenAuthentication {
  /** Returns the user of a token, or null if the token is invalid or the user is disabled. */
  abstract authenticate(token: string): Promise<AdminContext['user'] | null>;
}
