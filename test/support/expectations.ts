import type { Response } from 'supertest';
import { operationAt } from './operations.js';

/** The body of an error response. */
export interface ErrorBody {
  error: number;
  message: string;
  timestamp: string;
  traceId: string;
  details?: { field: string; message: string }[];
}

/** Checks that a response is a complete error with this code, which its operation declares; returns its body. */
export function expectError(response: Response, error: number): ErrorBody {
  const body = response.body as ErrorBody;
  expect({ status: response.status, error: body.error, message: body.message }).toMatchObject({
    status: Math.floor(error / 100),
    error,
  });
  expectDeclared(response, error);
  expect(body.message.length).toBeGreaterThan(0);
  expect(body.traceId).toBe(response.headers['x-request-id']);
  expect(Math.abs(Date.now() - Date.parse(body.timestamp))).toBeLessThan(60_000);
  expect(body.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(response.headers['content-type']).toMatch(/^application\/json/);
  expect(response.headers['link']).toBe(`</docs#errors/description/${error}>; rel="help"`);
  // A missing or malformed Authorization header is described, a wrong key is not.
  const hasDetails = [40001, 40301, 40905].includes(error) || (error === 40101 && body.details !== undefined);
  const known = ['error', 'message', 'timestamp', 'traceId', ...(hasDetails ? ['details'] : [])];
  expect(Object.keys(body).sort()).toEqual(known.sort());
  return body;
}

/** Checks for 40001 with this field in its details, and the first problem as the message. */
export function expectFieldError(response: Response, field: string): ErrorBody {
  const body = expectError(response, 40001);
  expect(body.details?.map((problem) => problem.field)).toContain(field);
  expect(body.message).toBe(body.details?.[0]?.message);
  return body;
}

/** Checks for the 40101 that every invalid key gets. */
export function expectInvalidKey(response: Response): ErrorBody {
  const body = expectError(response, 40101);
  expect(body.message).toBe('Invalid API key');
  expect(response.headers['www-authenticate']).toBe('Bearer');
  return body;
}

/** Checks that the OpenAPI document of the operation lists the error, as `@ApiErrors` must. */
function expectDeclared(response: Response, error: number): void {
  const { method, url } = (response as unknown as { request: { method: string; url: string } }).request;
  const operation = operationAt(method, url);
  if (operation === undefined) return;
  const undeclared = operation.errors.includes(error) ? [] : [`${operation.id}: ${error}`];
  expect(undeclared).toEqual([]);
}
