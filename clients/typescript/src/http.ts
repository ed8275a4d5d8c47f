import { ApiError, ConnectionError } from './errors.js';
import { idempotentPaths } from './generated/idempotency.gen.js';
import { addRevision, Read, type ReadOf, unwrap } from './read.js';

/** Settings of all requests of a client. */
export interface ClientOptions {
  /** The API key. It never appears in an error. */
  apiKey: string;
  /** The URL of the server, such as `https://api.example.com`. */
  baseUrl: string;
  /** Sends the requests. Default: `fetch`. */
  fetch?: typeof fetch;
  /**
   * Maximum number of retries after 429, 502, 503, 504, 40902 or a connection error, if the request is safe to repeat.
   * Default: 5.
   */
  maxRetries?: number;
  /** The time for one attempt, in milliseconds. Default: 30,000. */
  timeout?: number;
  /** Is called before the client waits for a retry, for example to log it. */
  onRetry?: (retry: Retry) => void;
  /** Waits before a retry, for tests. Rejects if the signal is aborted. */
  sleep?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
  /** Returns a number from 0 to 1 that spreads retries, for tests. Default: `Math.random`. */
  random?: () => number;
}

/** A request that is about to be repeated. */
export interface Retry {
  method: string;
  url: string;
  /** The number of the retry, from 1. */
  retry: number;
  /** The pause before it, in milliseconds. */
  delay: number;
  /** Why the previous attempt failed. */
  error: ApiError | ConnectionError;
}

/** Settings of one request. */
export interface RequestOptions {
  /** Cancels the request and its retries. */
  signal?: AbortSignal;
  /** Instead of the client's `timeout`. */
  timeout?: number;
  /** Instead of the client's `maxRetries`. */
  maxRetries?: number;
  /** Additional headers, such as `X-Request-Id`. */
  headers?: Record<string, string>;
}

interface HeaderOptions {
  'idem-key': {
    /**
     * A key that names the record. Default: a random one, so that retries create one record. Give your own to also
     * repeat the request after a crash.
     */
    idemKey?: string;
  };
  'If-Match': {
    /** Rejects the request with 41201 if the record is no longer the one that you read. */
    ifMatch?: Revisioned;
  };
  'If-None-Match': {
    /**
     * A record that you have: if it has not changed, a read returns it itself, without reading it again, and a write is
     * rejected with 41201.
     */
    ifNoneMatch?: Revisioned;
  };
}

/** A record with its revision, as the API returns it. */
export interface Revisioned {
  revision: number;
}

/** The parameters of an operation, as the generated types describe them. */
export interface TDataShape {
  body?: unknown;
  headers?: unknown;
  path?: unknown;
  query?: unknown;
  url: string;
}

type HeadersOf<Data extends TDataShape> = Extract<keyof NonNullable<Data['headers']>, keyof HeaderOptions>;

/** The parameters of an operation, with the headers that it supports as options. */
export type Options<Data extends TDataShape, _ThrowOnError = boolean, _Response = unknown> = Pick<
  Data,
  Extract<keyof Data, 'body' | 'path' | 'query'>
> &
  RequestOptions &
  ([HeadersOf<Data>] extends [never] ? unknown : HeaderOptions[HeadersOf<Data>]);

/** The paths of POST requests that can be repeated without an `idem-key`. */
const repeatablePosts = /\/(bulk|recover|reset)$/;

/** A call of an operation. */
interface Call extends RequestOptions {
  url: string;
  body?: unknown;
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  idemKey?: string;
  ifMatch?: Revisioned;
  ifNoneMatch?: Revisioned;
}

type Body<Responses> = Responses[keyof Responses];
/** The result of an operation. That of a write with rows, which has no pages, is its body: only bodies can get 413. */
export type RequestResult<Responses, Errors, _ThrowOnError> =
  Body<Responses> extends { dryRun: boolean }
    ? Promise<Body<Responses>>
    : Errors extends { 413: unknown }
      ? Promise<Body<Responses>>
      : ReadOf<Body<Responses>>;
/** The type of `meta`, which the generated options contain. */
export type ClientMeta = Record<string, unknown>;
type Write = <Responses, Errors, ThrowOnError>(call: Call) => RequestResult<Responses, Errors, ThrowOnError>;

/** Sends the calls of the generated operations. */
export class Client {
  // Private for JavaScript too, so that a logged client does not show the API key.
  readonly #options: Required<ClientOptions>;

  /** @throws TypeError if the API key or the URL cannot be used. */
  constructor(options: ClientOptions) {
    // Other characters would make fetch throw an error that contains them.
    if (!/^[\x21-\x7e]+$/.test(options.apiKey))
      throw new TypeError('"apiKey" must consist of visible ASCII characters.');
    if (!/^https?:\/\//.test(options.baseUrl)) throw new TypeError('"baseUrl" must begin with https:// or http://.');
    const baseUrl = options.baseUrl.replace(/(\/v1\/public-api)?\/*$/, '');
    const {
      fetch = (...request) => globalThis.fetch(...request),
      maxRetries = 5,
      timeout = 30_000,
      random = Math.random,
      onRetry = () => undefined,
    } = options;
    this.#options = { ...options, baseUrl, fetch, maxRetries, timeout, random, onRetry, sleep: options.sleep ?? sleep };
  }

  /** Returns a list, a record or another result, which is read when it is awaited or iterated. */
  get<Responses, _Errors, _ThrowOnError>(call: Call): ReadOf<Body<Responses>> {
    const send = (query: Record<string, unknown>) => this.send('GET', { ...call, query });
    return new Read(send, call.query) as unknown as ReadOf<Body<Responses>>;
  }

  readonly post = ((call) => this.send('POST', call).then(unwrap)) as Write;
  readonly put = ((call) => this.send('PUT', call).then(unwrap)) as Write;
  readonly patch = ((call) => this.send('PATCH', call).then(unwrap)) as Write;
  readonly delete = ((call) => this.send('DELETE', call).then(unwrap)) as Write;

  /** Sends a call until it succeeds or cannot be repeated. */
  private async send(method: string, call: Call): Promise<unknown> {
    const { apiKey, baseUrl, maxRetries, onRetry } = this.#options;
    const url = baseUrl + formatPath(call) + formatQuery(call);
    const isCreate = method === 'POST' && idempotentPaths.includes(call.url);
    const idemKey = call.idemKey ?? (isCreate ? crypto.randomUUID() : undefined);
    const headers = {
      ...call.headers,
      Authorization: `Bearer ${apiKey}`,
      ...(idemKey !== undefined && { 'idem-key': idemKey }),
      ...(call.ifMatch && { 'If-Match': `"${call.ifMatch.revision}"` }),
      ...(call.ifNoneMatch && { 'If-None-Match': `"${call.ifNoneMatch.revision}"` }),
    };
    const body = call.body === undefined ? null : JSON.stringify(call.body);
    const isRepeatable = method !== 'POST' || idemKey !== undefined || repeatablePosts.test(call.url);
    for (let attempt = 0; ; attempt++) {
      call.signal?.throwIfAborted();
      try {
        return await this.attempt(url, { method, headers, body, redirect: 'manual' }, call);
      } catch (error) {
        call.signal?.throwIfAborted();
        if (attempt >= (call.maxRetries ?? maxRetries) || !canRetry(error, isRepeatable)) throw error;
        const delay = this.delay(error, attempt);
        onRetry({ method, url, retry: attempt + 1, delay, error });
        await this.#options.sleep(delay, call.signal);
      }
    }
  }

  /** @throws ApiError for an error response, ConnectionError without a complete response. */
  private async attempt(url: string, request: RequestInit, call: Call): Promise<unknown> {
    const timeout = AbortSignal.timeout(call.timeout ?? this.#options.timeout);
    const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout;
    let response: Response;
    let text: string;
    try {
      response = await this.#options.fetch(url, { ...request, signal });
      text = await response.text();
    } catch (cause) {
      throw new ConnectionError(`No response to ${String(request.method)} ${url}.`, { cause });
    }
    if (response.status === 304) return { data: call.ifNoneMatch };
    if (!response.ok) throw new ApiError(response, parseJson(text));
    const body = parseJson(text);
    if (body === undefined) throw new ConnectionError(`The response to ${String(request.method)} ${url} is not JSON.`);
    return addRevision(body, response.headers.get('ETag'));
  }

  /** Returns the milliseconds to wait: `Retry-After` up to 1 h, plus exponential backoff with full jitter up to 30 s. */
  private delay(error: unknown, attempt: number): number {
    const retryAfter = Math.min(3_600, error instanceof ApiError ? (error.retryAfter ?? 0) : 0);
    return retryAfter * 1_000 + this.#options.random() * Math.min(30_000, 500 * 2 ** attempt);
  }
}

function canRetry(error: unknown, isRepeatable: boolean): error is ApiError | ConnectionError {
  if (!(error instanceof ApiError)) return isRepeatable && error instanceof ConnectionError;
  // A request with 429 had no effect. 40902: an equal create is in progress. 502 and 504 come from proxies.
  if (error.status === 429) return true;
  return isRepeatable && (error.code === 40902 || [502, 503, 504].includes(error.status));
}

/** @throws TypeError for a value that `fetch` would resolve to another path, even if it is escaped. */
function formatPath({ url, path = {} }: Call): string {
  return url.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = path[name] ?? '';
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`"${name}" must not be empty, "." or ".." in a path.`);
    return encodeURIComponent(value);
  });
}

function formatQuery({ query = {} }: Call): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const parameters = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  return given.length === 0 ? '' : `?${parameters.toString()}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
