import { SetMetadata } from '@nestjs/common';

export const bodyLimitKey = Symbol('bodyLimit');

/** What a route accepts as a body. */
export interface BodyLimits {
  readonly bytes: number;
  /** The time in which the whole body must arrive, where it is shorter than that of the whole request. */
  readonly milliseconds?: number;
}

/** Sets the largest body of a route, or of a controller's routes, where it is not the usual 102,400 bytes. */
export function BodyLimit(limits: BodyLimits): MethodDecorator & ClassDecorator {
  return SetMetadata(bodyLimitKey, limits);
}
