import { isUtf8 } from 'node:buffer';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import getRawBody from 'raw-body';
import { BodyLimit, type BodyLimits, IgnoresQuery } from '../access/access.decorators.js';
import { invalidFields, ServiceError, rejectedName } from '../errors/service-error.js';
import { isJsonObject } from '../validation/json.js';
import type { ApiRequest } from '../http/api-request.js';
import { declaresInput } from '../workarounds/route-arguments.js';

/** A body may have one value per so many bytes of its limit: a valid one has far fewer. */
const bytesPerValue = 32;
const maxLevels = 32;
/** A valid object or query has far fewer, and class-transformer compares each name with all others. */
const maxFields = 256;

const defaultLimits: BodyLimits = { bytes: 102_400 };

const decompressors = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/**
 * Parses the body, only after authentication and rate limiting, and rejects undeclared input. Without a body,
 * `request.body` is an empty object.
 * @throws ServiceError 41500, 41300, 40000 or 40001; 50302 if the server is overloaded; 401 if access was revoked
 * while the body arrived
 */
@Injectable()
export class BodyGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<ApiRequest>();
    const route = [context.getHandler(), context.getClass()];
    if (hasBody(request)) {
      const limits = this.reflector.getAllAndOverride<BodyLimits | undefined>(BodyLimit.KEY, route);
      await this.receive(request, context.switchToHttp().getResponse<Response>(), limits ?? defaultLimits);
      if (!isJsonObject(request.body)) throw malformed('The body must be a JSON object');
    } else {
      request.body = {};
    }
    const ignoresQuery = this.reflector.getAllAndOverride<true | undefined>(IgnoresQuery.KEY, route) === true;
    assertDeclaredInput(request, context, ignoresQuery);
    return true;
  }

  private async receive(request: ApiRequest, response: Response, limits: BodyLimits): Promise<void> {
    // A merge patch (RFC 7396) is what a PATCH of this API is.
    const types = ['application/json', ...(request.method === 'PATCH' ? ['application/merge-patch+json'] : [])];
    if (typeof request.is(types) !== 'string') throw notSupported(`Content-Type must be ${types.join(' or ')}`);
    if (!declaresUtf8(request)) throw notSupported('The charset of Content-Type must be utf-8');
    // Rejects a body whose declared size is too large before receiving it. On routes with a time limit the body is
    // read to its end first, as a response sent during the upload can be lost.
    const declared = Number(request.headers['content-length'] ?? 0);
    if (limits.milliseconds === undefined && declared > limits.bytes) throw tooLarge(limits.bytes);
    request.deadline?.pause();
    // A slow upload must not occupy a slot.
    if (!request.complete) request.overload?.pause();
    request.body = await this.read(request, response, limits);
    // Waiting for a slot counts as the server's time.
    request.deadline?.resume();
    await request.overload?.resume();
    // Access may have been revoked during the upload.
    await (request.integrationContext ?? request.adminContext)?.assertMayWrite();
  }

  private async read(request: ApiRequest, response: Response, { bytes, milliseconds }: BodyLimits): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      if (milliseconds === undefined) return;
      timer = setTimeout(() => {
        if (!response.headersSent) response.setHeader('Connection', 'close');
        reject(malformed('The request was not sent in time'));
      }, milliseconds);
    });
    return Promise.race([parseBody(request, bytes), late]).finally(() => clearTimeout(timer));
  }
}

/**
 * Receives a body and parses it. Decompresses it only when it is complete: Express does so while it receives, and slow
 * bodies of 1 KB would hold 1 MB each.
 */
async function parseBody(request: ApiRequest, limit: number): Promise<unknown> {
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
  const decompress = decompressors.get(encoding);
  if (decompress === undefined && encoding !== 'identity')
    throw notSupported('Content-Encoding must be gzip, deflate or br', encoding);
  const received = await receiveBody(request, limit);
  const body =
    decompress === undefined
      ? received
      : await decompress(received, { maxOutputLength: limit }).catch(rejectWith(limit));
  // Invalid UTF-8, which the decoder would replace, and bodies that take long to parse and validate.
  const problem = isUtf8(body) ? structureProblem(body, Math.ceil(limit / bytesPerValue)) : 'is not valid UTF-8';
  if (problem !== undefined) throw malformed(`The body ${problem}`);
  if (body.length === 0) return {};
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch (error) {
    throw malformed('The body is not valid JSON', error);
  }
}

/** Reads a rejected body to its end first, as a response sent during the upload can be lost. */
async function receiveBody(request: ApiRequest, limit: number): Promise<Buffer> {
  try {
    return await getRawBody(request, { limit, length: request.headers['content-length'] ?? null });
  } catch (error) {
    request.resume();
    await finished(request).catch(() => undefined);
    return rejectWith(limit)(error);
  }
}

function rejectWith(limit: number): (cause: unknown) => never {
  return (cause) => {
    const { type, code } = cause as { type?: string; code?: string };
    throw type === 'entity.too.large' || code === 'ERR_BUFFER_TOO_LARGE'
      ? tooLarge(limit)
      : malformed('The body cannot be read', cause);
  };
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Returns the problem of the structure of a JSON text, except its syntax. Reads its bytes before it is parsed, because
 * 1 KB of gzip can become hundreds of thousands of values.
 */
export function structureProblem(json: Uint8Array, maxValues: number): string | undefined {
  let values = 1;
  // The number of fields of each object around the current place. The entries of a list are not limited.
  const around: number[] = [];
  for (let index = 0; index < json.length; index++) {
    const byte = json[index];
    if (byte === quote) index = endOfText(json, index + 1);
    else if (byte === closeList || byte === closeObject) around.pop();
    else if (byte === comma) {
      values++;
      const fields = (around.pop() ?? 0) + 1;
      if (fields > maxFields) return `has an object with more than ${maxFields} fields`;
      around.push(fields);
    } else if (byte === openList || byte === openObject) {
      values++;
      if (around.push(byte === openObject ? 1 : -Infinity) > maxLevels)
        return `is nested deeper than ${maxLevels} levels`;
    }
    if (values > maxValues) return `has more than ${maxValues} values`;
  }
  return undefined;
}

/** Returns the index of the quote that ends a string. */
function endOfText(json: Uint8Array, start: number): number {
  let index = start;
  while (index < json.length && json[index] !== quote) index += json[index] === backslash ? 2 : 1;
  return index;
}

function notSupported(message: string, cause?: unknown): ServiceError {
  return new ServiceError('mediaTypeNotSupported', { message, cause });
}

function hasBody(request: ApiRequest): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
}

/** Returns true if the charset is UTF-8 or missing; Express would accept every name that begins with `utf-`. */
function declaresUtf8(request: ApiRequest): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(request.headers['content-type'] ?? '')?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}

/** Rejects a malformed path, and input on a route that declares none; on others the validation pipe names it. */
function assertDeclaredInput(request: ApiRequest, context: ExecutionContext, ignoresQuery: boolean): void {
  if (request.hasMalformedPath) throw malformed('The path has a malformed percent-escape');
  // Counted without parsing: of 4,923 names, that takes 1.8 ms of processor time, and to count them 0.3.
  if (!ignoresQuery && request.url.split('&').length > maxFields)
    throw malformed(`The query has more than ${maxFields} parameters`);
  const undeclared = (kind: 'body' | 'query') => {
    const names = Object.keys(request[kind] as object);
    return names.length > 0 && declaresInput(kind, context) ? [] : names;
  };
  const unknown = [
    ...(ignoresQuery ? [] : undeclared('query')).map((name) => rejectedName(name, 'is not a known parameter')),
    ...undeclared('body').map((name) => rejectedName(name)),
  ];
  if (unknown.length > 0) throw invalidFields(unknown);
}

function malformed(message: string, cause?: unknown): ServiceError {
  return new ServiceError('malformedRequest', { message, cause });
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError('bodyTooLarge', { message: `The body is larger than ${limit} bytes` });
}
