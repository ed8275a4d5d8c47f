import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { ServedRequest } from '../http/served-request.js';
import { sendEnvelope } from './envelope.js';
import { errorCatalogue } from './error-catalogue.js';
import { ServiceError } from './service-error.js';

/** How often it is told that requests were refused as overload, in milliseconds. */
const reportMilliseconds = 1_000;

/** Any error, from anywhere, becomes the one envelope here. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Errors');
  private overloadedSinceReport = 0;

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<ServedRequest>();
    const response = host.switchToHttp().getResponse<Response>();
    // The deadline has answered meanwhile: what fails because of that is no fault of its own.
    if (response.headersSent && isLateAnswer(thrown)) return;
    const error = refusalOf(thrown, request, response);
    this.report(error, request.requestId);
    sendEnvelope(request, response, error);
  }

  /** A fault of ours is logged with its stack; that something is away for a while with its reason. */
  private report({ entry, message, status, cause }: ServiceError, requestId: string): void {
    if (status < 500) return;
    const reason = cause instanceof Error ? cause.message : undefined;
    if (entry === errorCatalogue.overloaded && reason === undefined) this.countOverloaded();
    else if (status === 503) this.logger.warn(message, { requestId, error: entry.code, reason });
    else this.logger.error(message, { requestId, error: entry.code }, cause);
  }

  /** One line a second at most for what was refused because too much waits: a line for each would be another load. */
  private countOverloaded(): void {
    if (this.overloadedSinceReport++ > 0) return;
    const report = () => {
      const refused = this.overloadedSinceReport;
      this.overloadedSinceReport = 0;
      this.logger.warn('Too much waits: requests were refused', { error: errorCatalogue.overloaded.code, refused });
    };
    setTimeout(report, reportMilliseconds).unref();
  }
}

/** What becomes of an error: itself, where it is a refusal of ours; of a path that is known, `Allow` says the methods. */
export function refusalOf(thrown: unknown, request: Request, response: Response): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (thrown instanceof HttpException) {
    // Nest and Express themselves know two refusals only: a route that is not there and a path that cannot be read.
    if (thrown.getStatus() === 404) return unknownRoute(request, response);
    if (thrown.getStatus() < 500) return new ServiceError(errorCatalogue.malformedRequest, { cause: thrown });
  }
  return new ServiceError(errorCatalogue.internal, { cause: thrown });
}

function isLateAnswer(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_HTTP_HEADERS_SENT';
}

function unknownRoute(request: Request, response: Response): ServiceError {
  const methods = allowedMethods(request);
  if (methods.length === 0) return new ServiceError(errorCatalogue.routeNotFound);
  response.setHeader('Allow', methods.join(', '));
  const message = `${request.method} is not allowed here; allowed are ${methods.join(', ')}`;
  return new ServiceError(errorCatalogue.methodNotAllowed, { message });
}

/** The part of a layer of Express 5's router that is read here. */
interface RouterLayer {
  match(path: string): boolean;
  route?: { methods: Record<string, boolean> };
}

/** Returns the methods that the path of a request has, in upper case; none for an unknown path. */
function allowedMethods(request: Request): string[] {
  const layers = (request.app.router as unknown as { stack: RouterLayer[] }).stack;
  const methods = new Set<string>();
  for (const layer of layers) {
    if (layer.route === undefined || !layer.match(request.path)) continue;
    for (const [method, known] of Object.entries(layer.route.methods)) if (known) methods.add(method.toUpperCase());
  }
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}
