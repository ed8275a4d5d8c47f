import type { Request, Response } from 'express';
import type { LoginResponse } from './auth.dto.js';

/** Keeps the token of a page that is reloaded. Scripts cannot read it, and browsers send it only to one route. */
const cookieOptions = { path: '/auth/refresh', httpOnly: true, secure: true, sameSite: 'strict' } as const;

/** Sets the cookie if a page of this server sent the request, and returns the login. */
export function keepForOwnPage<T extends LoginResponse>(request: Request, response: Response, login: T): T {
  if (isFromOwnPage(request)) response.cookie('token', login.accessToken, cookieOptions);
  return login;
}

/** Returns whether a page of this server sent the request. Browsers say so over HTTPS and on the same machine. */
export function isFromOwnPage({ headers }: Request): boolean {
  return headers['sec-fetch-site'] === 'same-origin';
}
