import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { ApiRequest } from '../http/api-request.js';
import { errorCatalogue } from './error-catalogue.js';
import { sendEnvelope, ServiceError } from './service-error.js';
import { isDatabaseUnavailable } from '../database/database-error.js';

/** Turns every error into the error envelope. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Errors');

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<ApiRequest>();
    const response = host.switchToHttp().getResponse<Response>();
    // The deadline has already sent a response, so the handler could not send its own.
    if (response.headersSent && isHeadersSentError(thrown)) return;
    const error = toServiceError(thrown, request, response);
    this.report(error, request);
    const send = () => sendEnvelope(request, response, error);
    if (error.entry === errorCatalogue.authenticationLimited && request.overload) request.overload.reject(send);
    else send();
  }

  /** Logs an error as its entry says. Overload without a cause is only counted, as lines would add to the load. */
  private report({ entry, message, cause }: ServiceError, { requestId, overload }: ApiRequest): void {
    const reason = cause instanceof Error ? cause.message : undefined;
    const details = { requestId, error: entry.code };
    if (entry === errorCatalogue.overloaded && reason === undefined) overload?.countRejection();
    else if (entry.logLevel === 'error') this.logger.error(message, details, cause);
    else if (entry.logLevel === 'warn') this.logger.warn(message, { ...details, reason });
  }
}

/** Converts any error to a `ServiceError`. For a known path with another method, sets the `Allow` header. */
function toServiceError(thrown: unknown, request: Request, response: Response): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (isDatabaseUnavailable(thrown)) return new ServiceError('databaseUnavailable', { cause: thrown });
  if (thrown instanceof HttpException) {
    // Nest and Express only throw these for unknown routes and malformed paths.
    if (thrown.getStatus() === 404) return unknownRoute(request, response);
    if (thrown.getStatus() < 500) return new ServiceError('malformedRequest', { cause: thrown });
  }
  return new ServiceError('internal', { cause: thrown });
}

function isHeadersSentError(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_HTTP_HEADERS_SENT';
}

function unknownRoute(request: Request, response: Response): ServiceError {
  const methods = allowedMethods(request);
  if (methods.length === 0) return new ServiceError('routeNotFound');
  response.setHeader('Allow', methods.join(', '));
  const message = `${request.method} is not allowed for this path; use ${methods.join(', ')}`;
  return new ServiceError('methodNotAllowed', { message });
}

/** The part of an Express 5 router layer that is used here. */
interface RouterLayer {
  match(path: string): boolean;
  route?: { path: string; methods: Record<string, boolean> };
}

/** Returns the allowed methods of the request's path; none for an unknown path. */
function allowedMethods(request: Request): string[] {
  const layers = (request.app.router as unknown as { stack: RouterLayer[] }).stack;
  const routes = layers.flatMap((layer) => (layer.route && layer.match(request.path) ? [layer.route] : []));
  // A path such as `/teams/bulk` also matches the route with an ID; the one with the fewest parameters counts.
  const parametersOf = ({ path }: { path: string }) => path.split(':').length;
  const fewest = Math.min(...routes.map(parametersOf));
  const matching = routes.filter((route) => parametersOf(route) === fewest);
  const methods = matching.flatMap((route) => Object.keys(route.methods)).map((method) => method.toUpperCase());
  if (methods.includes('GET')) methods.push('HEAD');
  return [...new Set(methods)].sort();
}
