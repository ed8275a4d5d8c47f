import http, { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Response } from 'express';
import { given } from './once-given.js';

/** Express as Nest uses it, but for what costs a request much and gives it nothing. */
export class LeanExpressAdapter extends ExpressAdapter {
  /** A server without TLS, whose requests and answers are Express's own from the beginning. */
  override initHttpServer(): void {
    const express = this.getInstance<Express>();
    this.httpServer = http.createServer(madeFor(express), express);
  }

  /** An object's text is handed to Node with the head. Express would look up the type and make a second copy of the text. */
  override reply(response: Response, body: unknown, status?: number): unknown {
    // Answered meanwhile, as by the deadline: the log tells the status that was sent.
    if (response.headersSent) return response;
    if (!isPlainObject(body) || mayBeAnsweredWithoutBody(response)) return super.reply(response, body, status);
    const text = JSON.stringify(body);
    if (status !== undefined) response.statusCode = status;
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', Buffer.byteLength(text));
    response.end(text);
    return response;
  }
}

/**
 * Express gives every request and answer another prototype. V8 (before the one of Node 24) then makes new hidden classes for
 * each of them, which no code that reads them can have seen before, and which live until the next whole garbage collection.
 * Where they have that prototype from birth nothing changes.
 */
function madeFor(express: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {
    override end(...rest: unknown[]): this {
      this.emit(given);
      return super.end(...(rest as [unknown, BufferEncoding]));
    }
  }
  Object.setPrototypeOf(ExpressRequest.prototype, express.request);
  Object.setPrototypeOf(ExpressResponse.prototype, express.response);
  express.request = ExpressRequest.prototype as Express['request'];
  express.response = ExpressResponse.prototype as Express['response'];
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

/** What a handler gives as an answer: neither a text nor a stream nor an error. */
function isPlainObject(body: unknown): body is object {
  if (typeof body !== 'object' || body === null) return false;
  const prototype: unknown = Object.getPrototypeOf(body);
  return prototype === Object.prototype || prototype === null;
}

/** A HEAD, or a request that may be told that nothing has changed: Express knows what becomes of these. */
function mayBeAnsweredWithoutBody({ req }: Response): boolean {
  const { method, headers } = req;
  return method === 'HEAD' || headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined;
}
