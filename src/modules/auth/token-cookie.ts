import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { tap } from 'rxjs';
import { Configuration } from '../../config/configuration.js';
import type { LoginResponse } from './auth.dto.js';

const cookieOptions = { path: '/', httpOnly: true, secure: true, sameSite: 'strict' } as const;

/**
 * Keeps the token of a login from a page of this server, which may be reloaded. Scripts cannot read it, and only the refresh
 * does. Other hosts of the domain cannot set a cookie whose name begins with `__Host-`, which needs the path `/`.
 */
@Injectable()
export class TokenCookie implements NestInterceptor<LoginResponse> {
  /** Not the same below another path of the host, where the servers of another cell are. */
  private readonly name = `__Host-token${this.configuration.basePath.replaceAll('/', '-')}`;

  constructor(private readonly configuration: Configuration) {}

  intercept(context: ExecutionContext, next: CallHandler<LoginResponse>) {
    const http = context.switchToHttp();
    const keep = ({ accessToken }: LoginResponse) =>
      http.getResponse<Response>().cookie(this.name, accessToken, cookieOptions);
    return isFromOwnPage(http.getRequest<Request>()) ? next.handle().pipe(tap(keep)) : next.handle();
  }

  /** Returns the token of the cookie if a page of this server sent the request. Several cookies are no valid token. */
  readFromOwnPage(request: Request): string | undefined {
    const cookies = isFromOwnPage(request) ? (request.headers.cookie ?? '').split(/; */) : [];
    const tokens = cookies.filter((cookie) => cookie.startsWith(`${this.name}=`));
    return tokens.length > 1 ? '' : tokens[0]?.slice(this.name.length + 1);
  }
}

/** Returns whether a page of this server sent the request. Browsers say so over HTTPS and on the same machine. */
function isFromOwnPage({ headers }: Request): boolean {
  return headers['sec-fetch-site'] === 'same-origin';
}
