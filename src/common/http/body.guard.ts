import { isUtf8 } from 'node:buffer';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import express, { type Response } from 'express';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';
import { bodyLimitKey, type BodyLimits } from './body-limit.decorator.js';
import { deeperThan } from './depth.js';
import type { ServedRequest } from './served-request.js';

const usualLimits: BodyLimits = { bytes: 102_400 };
const deepest = 32;

type Parser = ReturnType<typeof express.json>;

/**
 * Reads the body, after access and rate limits. A request without a body has an empty object as its body.
 * @throws ServiceError 41500, 41300 or 40000; 50302 where the server is overloaded; 401 where access ended meanwhile
 */
@Injectable()
export class BodyGuard implements CanActivate {
  private readonly parsers = new Map<number, Parser>();

  constructor(private readonly reflector: Reflector) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<ServedRequest>();
    if (!hasBody(request)) {
      request.body = {};
      return true;
    }
    if (!request.is('application/json') || !isUtf8Declared(request))
      throw new ServiceError(errorCatalogue.mediaTypeNotSupported);
    const limits = this.reflector.getAllAndOverride<BodyLimits | undefined>(bodyLimitKey, [
      context.getHandler(),
      context.getClass(),
    ]);
    await this.receive(request, context.switchToHttp().getResponse<Response>(), limits ?? usualLimits);

    const body: unknown = request.body;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new ServiceError(errorCatalogue.malformedRequest, { message: 'The body must be a JSON object' });
    }
    if (deeperThan(body, deepest)) {
      throw new ServiceError(errorCatalogue.malformedRequest, {
        message: `The body is nested deeper than ${deepest} levels`,
      });
    }
    return true;
  }

  private async receive(request: ServedRequest, response: Response, limits: BodyLimits): Promise<void> {
    // Rejected by its header, before any of it is received. Where the body must arrive soon, the parser rejects it and reads
    // it to its end first: an answer while the client still sends may get lost with the connection.
    const declared = Number(request.headers['content-length'] ?? 0);
    if (limits.milliseconds === undefined && declared > limits.bytes) throw tooLarge(limits.bytes);
    request.deadline?.stop();
    // A client may take any time to send the rest: it must not hold a place meanwhile.
    if (!request.complete) request.overload?.pause();
    await this.read(request, response, limits);
    // The wait for a place is the server's time, not the client's.
    request.deadline?.start();
    await request.overload?.resume();
    // The key may have been revoked meanwhile.
    await (request.integrationContext ?? request.adminContext)?.confirmAccess?.();
  }

  private read(request: ServedRequest, response: Response, { bytes, milliseconds }: BodyLimits): Promise<void> {
    const parse = this.parserFor(bytes);
    return new Promise((resolve, reject) => {
      const rejectLate = () => {
        if (!response.headersSent) response.setHeader('Connection', 'close');
        reject(new ServiceError(errorCatalogue.malformedRequest, { message: 'The request was not sent in time' }));
      };
      const timer = milliseconds === undefined ? undefined : setTimeout(rejectLate, milliseconds);
      parse(request, response, (error?: unknown) => {
        clearTimeout(timer);
        if (error === undefined || error === null) resolve();
        else reject(refusalOf(error, bytes));
      });
    });
  }

  private parserFor(limit: number): Parser {
    const known = this.parsers.get(limit);
    if (known !== undefined) return known;
    const parser = express.json({ limit, verify: demandUtf8 });
    this.parsers.set(limit, parser);
    return parser;
  }
}

function hasBody(request: ServedRequest): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
}

/** Express would take every character set whose name begins with `utf-`. */
function isUtf8Declared(request: ServedRequest): boolean {
  const declared = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(request.headers['content-type'] ?? '')?.[1];
  return declared === undefined || /^utf-?8$/i.test(declared);
}

/** Bytes that are no UTF-8 would be replaced in silence, so that something else is stored than was sent. */
function demandUtf8(_request: unknown, _response: unknown, body: Buffer): void {
  if (!isUtf8(body)) throw new Error('The body is not UTF-8');
}

function refusalOf(error: unknown, limit: number): ServiceError {
  const { type, status } = error as { type?: string; status?: number };
  if (type === 'entity.too.large') return tooLarge(limit);
  if (status === 415) return new ServiceError(errorCatalogue.mediaTypeNotSupported, { cause: error });
  const message = type === 'entity.parse.failed' ? 'The body is not valid JSON' : 'The body cannot be read';
  return new ServiceError(errorCatalogue.malformedRequest, { message, cause: error });
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError(errorCatalogue.bodyTooLarge, { message: `The body is larger than ${limit} bytes` });
}
