import { randomUUID } from 'node:crypto';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { Response } from 'express';
import { ApiError, envelopeOf } from '../rules.js';

/** Responds with the error envelope of the contract. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const known = error instanceof ApiError ? error : apiErrorOf(error);
    host.switchToHttp().getResponse<Response>().status(known.status).json(envelopeOf(known, randomUUID()));
  }
}

function apiErrorOf(error: unknown): ApiError {
  if (!(error instanceof HttpException)) return new ApiError(50000, 'Internal error');
  const { message } = error.getResponse() as { message: string | string[] };
  return new ApiError(error.getStatus() * 100 + 1, String(message));
}
