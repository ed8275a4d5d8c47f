import { isUtf8 } from 'node:buffer';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { Reflector } from '@nestjs/core';
import express, { type Response } from 'express';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { invalidFields, ServiceError, unknownField } from '../errors/service-error.js';
import { hasMalformedPath } from './request-head.js';
import type { ServedRequest } from './served-request.js';

const maximumDepth = 32;

/** What a route accepts as a body. */
export interface BodyLimits {
  readonly bytes: number;
  /** The time in which the whole body must arrive, if that is shorter than the time of the whole request. */
  readonly milliseconds?: number;
}

/** Sets the body limits of a route or a controller; by default a body has at most 102,400 bytes. */
export const BodyLimit = Reflector.createDecorator<BodyLimits>();
const defaultLimits: BodyLimits = { bytes: 102_400 };

type Parser = ReturnType<typeof express.json>;

/**
 * Reads the body, after access and rate limits, and rejects input that the route does not declare. A request without a body
 * has an empty object as its body.
 * @throws ServiceError 41500, 41300, 40000 or 40001; 50302 if the server is overloaded; 401 if access ended meanwhile
 */
@Injectable()
export class BodyGuard implements CanActivate {
  private readonly parsers = new Map<number, Parser>();

  constructor(private readonly reflector: Reflector) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<ServedRequest>();
    if (hasBody(request)) {
      await this.receive(request, context.switchToHttp().getResponse<Response>(), this.limitsOf(context));
      assertShallowObject(request.body);
    } else {
      request.body = {};
    }
    assertDeclaredInput(request, context);
    return true;
  }

  private limitsOf(context: ExecutionContext): BodyLimits {
    const route = [context.getHandler(), context.getClass()];
    return this.reflector.getAllAndOverride<BodyLimits | undefined>(BodyLimit.KEY, route) ?? defaultLimits;
  }

  private async receive(request: ServedRequest, response: Response, limits: BodyLimits): Promise<void> {
    if (!request.is('application/json') || !declaresUtf8(request))
      throw new ServiceError(errorCatalogue.mediaTypeNotSupported);
    // A body that is too large by its header is rejected before it is received. If it must arrive soon, the parser reads it to
    // its end and rejects it then: a response while the client still sends may get lost with the connection.
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
        reject(malformed('The request was not sent in time'));
      };
      const timer = milliseconds === undefined ? undefined : setTimeout(rejectLate, milliseconds);
      parse(request, response, (error?: unknown) => {
        clearTimeout(timer);
        if (error === undefined || error === null) resolve();
        else reject(serviceErrorOf(error, bytes));
      });
    });
  }

  private parserFor(limit: number): Parser {
    const known = this.parsers.get(limit);
    if (known !== undefined) return known;
    const parser = express.json({ limit, verify: assertUtf8 });
    this.parsers.set(limit, parser);
    return parser;
  }
}

function hasBody(request: ServedRequest): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
}

/** Express would accept every character set whose name begins with `utf-`. */
function declaresUtf8(request: ServedRequest): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(request.headers['content-type'] ?? '')?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}

/** Express would replace bytes that are not UTF-8, so that something else is stored than was sent. */
function assertUtf8(_request: unknown, _response: unknown, body: Buffer): void {
  if (!isUtf8(body)) throw new Error('The body is not UTF-8');
}

function assertShallowObject(body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw malformed('The body must be a JSON object');
  if (isDeeperThan(body, maximumDepth)) throw malformed(`The body is nested deeper than ${maximumDepth} levels`);
}

/** True if a JSON value is nested deeper than `levels`; an object of plain values has one level. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

/**
 * Rejects a malformed path, and body fields or query parameters on a route that takes none. On a route that does, the
 * validation pipe names the unknown ones.
 */
function assertDeclaredInput(request: ServedRequest, context: ExecutionContext): void {
  if (hasMalformedPath(request)) throw malformed('The path has a malformed percent-escape');
  const { query, body } = request as { query: object; body: object };
  const unknown = [
    ...unlessDeclared(query, RouteParamtypes.QUERY, context),
    ...unlessDeclared(body, RouteParamtypes.BODY, context),
  ];
  if (unknown.length > 0) throw invalidFields(unknown.map(unknownField));
}

/** The names of the input's fields, unless the handler has a parameter of this kind, by Nest's own metadata. */
function unlessDeclared(input: object, kind: RouteParamtypes, context: ExecutionContext): string[] {
  const names = Object.keys(input);
  if (names.length === 0) return names;
  const parameters: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name);
  return Object.keys(parameters ?? {}).some((parameter) => parameter.startsWith(`${kind}:`)) ? [] : names;
}

function malformed(message: string, cause?: unknown): ServiceError {
  return new ServiceError(errorCatalogue.malformedRequest, { message, ...(cause !== undefined && { cause }) });
}

function serviceErrorOf(error: unknown, limit: number): ServiceError {
  const { type, status } = error as { type?: string; status?: number };
  if (type === 'entity.too.large') return tooLarge(limit);
  if (status === 415) return new ServiceError(errorCatalogue.mediaTypeNotSupported, { cause: error });
  return malformed(type === 'entity.parse.failed' ? 'The body is not valid JSON' : 'The body cannot be read', error);
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError(errorCatalogue.bodyTooLarge, { message: `The body is larger than ${limit} bytes` });
}
