import { isUtf8 } from 'node:buffer';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { Reflector } from '@nestjs/core';
import express, { type Response } from 'express';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { invalidFields, ServiceError, rejectedName } from '../errors/service-error.js';
import { isJsonObject } from '../validation/json.js';
import { hasMalformedPath } from './request-head.js';
import type { ApiRequest } from './api-request.js';

const maxDepth = 32;

interface BodyLimits {
  readonly bytes: number;
  /** Maximum time for receiving the body, if shorter than that of the whole request. */
  readonly milliseconds?: number;
}

/** Sets the body limits of a route or controller. The default is 102,400 bytes. */
export const BodyLimit = Reflector.createDecorator<BodyLimits>();
const defaultLimits: BodyLimits = { bytes: 102_400 };

type Parser = ReturnType<typeof express.json>;

/**
 * Parses the body, only after authentication and rate limiting, and rejects undeclared input. Without a body,
 * `request.body` is an empty object.
 * @throws ServiceError 41500, 41300, 40000 or 40001; 50302 if the server is overloaded; 401 if access was revoked
 * meanwhile
 */
@Injectable()
export class BodyGuard implements CanActivate {
  private readonly parsers = new Map<number, Parser>();

  constructor(private readonly reflector: Reflector) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<ApiRequest>();
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

  private async receive(request: ApiRequest, response: Response, limits: BodyLimits): Promise<void> {
    if (!request.is('application/json') || !declaresUtf8(request))
      throw new ServiceError(errorCatalogue.mediaTypeNotSupported);
    // Rejects a body whose declared size is too large before receiving it. On routes with a time limit the body is
    // read to its end first, as a response sent during the upload can be lost.
    const declared = Number(request.headers['content-length'] ?? 0);
    if (limits.milliseconds === undefined && declared > limits.bytes) throw tooLarge(limits.bytes);
    request.deadline?.pause();
    // A slow upload must not occupy a slot.
    if (!request.complete) request.overload?.pause();
    await this.read(request, response, limits);
    // Waiting for a slot counts as the server's time.
    request.deadline?.resume();
    await request.overload?.resume();
    // Access may have been revoked during the upload.
    await (request.integrationContext ?? request.adminContext)?.assertMayWrite();
  }

  private read(request: ApiRequest, response: Response, { bytes, milliseconds }: BodyLimits): Promise<void> {
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

function hasBody(request: ApiRequest): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
}

/** Returns true if the charset is UTF-8 or missing; Express would accept every name that begins with `utf-`. */
function declaresUtf8(request: ApiRequest): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(request.headers['content-type'] ?? '')?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}

/** Rejects invalid UTF-8: Express would replace it, and the stored text would differ from what was sent. */
function assertUtf8(_request: unknown, _response: unknown, body: Buffer): void {
  if (!isUtf8(body)) throw new Error('The body is not UTF-8');
}

function assertShallowObject(body: unknown): void {
  if (!isJsonObject(body)) throw malformed('The body must be a JSON object');
  if (isDeeperThan(body, maxDepth)) throw malformed(`The body is nested deeper than ${maxDepth} levels`);
}

/** Returns true if a JSON value has more than `levels` levels; an object of plain values has one. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

/** Rejects a malformed path, and input on a route that declares none; on others the validation pipe names it. */
function assertDeclaredInput(request: ApiRequest, context: ExecutionContext): void {
  if (hasMalformedPath(request)) throw malformed('The path has a malformed percent-escape');
  const { query, body } = request as { query: object; body: object };
  const unknown = [
    ...undeclaredFields(query, RouteParamtypes.QUERY, context).map((name) =>
      rejectedName(name, 'is not a known parameter'),
    ),
    ...undeclaredFields(body, RouteParamtypes.BODY, context).map((name) => rejectedName(name)),
  ];
  if (unknown.length > 0) throw invalidFields(unknown);
}

/** Returns the field names of the input, or none if the handler has a parameter of this kind, by Nest's metadata. */
function undeclaredFields(input: object, kind: RouteParamtypes, context: ExecutionContext): string[] {
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
