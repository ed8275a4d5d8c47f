import type { OpenAPIObject } from '@nestjs/swagger';
import { scopeExtension } from '../common/context/access.decorators.js';
import { operationsOf } from './operations.js';

/** Says in the description of every operation which scope it needs, for people; programs read the extension. */
export function describeScopes(document: OpenAPIObject): void {
  for (const operation of operationsOf(document)) {
    const scope = (operation as { [scopeExtension]?: string })[scopeExtension];
    if (scope !== undefined)
      operation.description = `${operation.description ?? ''} Needs the scope \`${scope}\`.`.trim();
  }
}
