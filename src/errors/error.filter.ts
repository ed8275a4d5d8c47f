import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { Response } from 'express';
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
    if (response.headersSent && (thrown as NodeJS.ErrnoException | undefined)?.code === 'ERR_HTTP_HEADERS_SENT') return;
    const error = toServiceError(thrown);
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

/** Converts any error to a `ServiceError`. */
function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (isDatabaseUnavailable(thrown)) return new ServiceError('databaseUnavailable', { cause: thrown });
  // Nest and Express only throw these for unknown routes and malformed paths.
  if (thrown instanceof HttpException && thrown.getStatus() < 500)
    return new ServiceError(thrown.getStatus() === 404 ? 'routeNotFound' : 'malformedRequest', { cause: thrown });
  return new ServiceError('internal', { cause: thrown });
}
