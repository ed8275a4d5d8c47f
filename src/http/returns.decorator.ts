import { applyDecorators, HttpCode, type StreamableFile, type Type } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';

/** A decorator that compiles only for a route whose handler returns `T`. */
export type RouteReturning<T> = <H extends (...args: never[]) => T | Promise<T>>(
  target: object,
  name: string | symbol,
  route: TypedPropertyDescriptor<H>,
) => void;

/**
 * Sets and documents the status and the body of a route's response. A handler with another result does not compile, except
 * with the text of a large response.
 */
export function Returns<T extends object>(
  type: Type<T>,
  description: string,
  status = 200,
): RouteReturning<T | StreamableFile> {
  return applyDecorators(HttpCode(status), ApiResponse({ status, type, description }));
}
