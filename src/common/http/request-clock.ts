import type { NextFunction, Request, Response } from 'express';
import type { Clock } from '../clock.js';
import type { ServedRequest } from './served-request.js';

/** Gives every request the clock, for what answers it outside of Nest: first of all, since anything may refuse it. */
export function requestClock(clock: Clock) {
  return (request: Request, _response: Response, next: NextFunction): void => {
    (request as ServedRequest).clock = clock;
    next();
  };
}
