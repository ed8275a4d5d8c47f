import type { Response } from 'supertest';
import { operationAt } from './operations.js';

/** The body of a refusal. */
export interface Refusal {
  error: number;
  message: string;
  timestamp: string;
  traceId: string;
  details?: { field: string; message: string }[];
}

/** Checks that an answer is the envelope of this error, whole and true, that its operation declares; gives its body. */
export function expectRefusal(answer: Response, error: number): Refusal {
  const body = answer.body as Refusal;
  expect({ status: answer.status, error: body.error, message: body.message }).toMatchObject({
    status: Math.floor(error / 100),
    error,
  });
  expectDeclared(answer, error);
  expect(body.message.length).toBeGreaterThan(0);
  expect(body.traceId).toBe(answer.headers['x-request-id']);
  expect(Math.abs(Date.now() - Date.parse(body.timestamp))).toBeLessThan(60_000);
  expect(body.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  // A missing or malformed Authorization header is described, a wrong key is not.
  const hasDetails = error === 40001 || (error === 40101 && body.details !== undefined);
  const known = ['error', 'message', 'timestamp', 'traceId', ...(hasDetails ? ['details'] : [])];
  expect(Object.keys(body).sort()).toEqual(known.sort());
  return body;
}

/** Checks a 40001 that names this field among its details, and says the first problem in its message. */
export function expectFieldRefusal(answer: Response, field: string): Refusal {
  const body = expectRefusal(answer, 40001);
  expect(body.details?.map((problem) => problem.field)).toContain(field);
  expect(body.message).toBe(body.details?.[0]?.message);
  return body;
}

/** Checks a 40101 as every refused key gets it, whatever is wrong with the key. */
export function expectInvalidKey(answer: Response): Refusal {
  const body = expectRefusal(answer, 40101);
  expect(body.message).toBe('Invalid API key');
  expect(answer.headers['www-authenticate']).toBe('Bearer');
  return body;
}

/** Checks that the OpenAPI document of an operation lists an error: one that it throws must stand in `@ApiErrors`. */
function expectDeclared(answer: Response, error: number): void {
  const { method, url } = (answer as unknown as { request: { method: string; url: string } }).request;
  const operation = operationAt(method, url);
  if (operation === undefined) return;
  const undeclared = operation.errors.includes(error) ? [] : [`${operation.id}: ${error}`];
  expect(undeclared).toEqual([]);
}
