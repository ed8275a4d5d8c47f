import type { Request, Response } from 'express';
import type { LoginResponse } from './auth.dto.js';

/**
 * Keeps the token of a page that is reloaded. Scripts cannot read it, and only the refresh does. Other hosts of the domain
 * cannot set a cookie whose name begins with `__Host-`, which needs the path `/`.
 */
const cookieName = '__Host-token';
const cookieOptions = { path: '/', httpOnly: true, secure: true, sameSite: 'strict' } as const;

/** Sets the cookie if a page of this server sent the request, and returns the login. */
export function keepForOwnPage<T extends LoginResponse>(request: Request, response: Response, login: T): T {
  if (isFromOwnPage(request)) response.cookie(cookieName, login.accessToken, cookieOptions);
  return login;
}

/** Returns the token of the cookie if a page of this server sent the request. Several cookies are no valid token. */
export function readFromOwnPage(request: Request): string | undefined {
  const cookies = isFromOwnPage(request) ? (request.headers.cookie ?? '').split(/; */) : [];
  const tokens = cookies.filter((cookie) => cookie.startsWith(`${cookieName}=`));
  return tokens.length > 1 ? '' : tokens[0]?.slice(cookieName.length + 1);
}

/** Returns whether a page of this server sent the request. Browsers say so over HTTPS and on the same machine. */
function isFromOwnPage({ headers }: Request): boolean {
  return headers['sec-fetch-site'] === 'same-origin';
}
