import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';

/**
 * Express as Nest uses it, but for how an object becomes an answer: its text is handed to Node
 * with the head. Express would look up the type and make a second copy of the text.
 */
export class JsonAdapter extends ExpressAdapter {
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
