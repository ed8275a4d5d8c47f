import { applyDecorators, Header } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';

/** OpenAPI extension with the time at which a deprecated operation is removed. */
export const sunsetExtension = 'x-sunset';

interface Deprecation {
  readonly since: Date;
  readonly sunset: Date;
  /** URL of the page that says what to use instead. */
  readonly link: string;
}

/**
 * Marks a route as deprecated, in the OpenAPI document and in its responses: `Deprecation` (RFC 9745), `Sunset` (RFC 8594).
 * @throws if partners have less than 12 months, which the guide promises
 */
export function Deprecated({ since, sunset, link }: Deprecation): MethodDecorator {
  const earliest = new Date(since);
  earliest.setUTCFullYear(since.getUTCFullYear() + 1);
  if (sunset < earliest)
    throw new RangeError(`A route that is deprecated at ${since.toISOString()} stays for 12 months`);
  return applyDecorators(
    ApiExtension(sunsetExtension, sunset.toISOString()),
    Header('Deprecation', `@${Math.floor(since.getTime() / 1_000)}`),
    Header('Sunset', sunset.toUTCString()),
    Header('Link', `<${link}>; rel="deprecation"`),
  );
}
