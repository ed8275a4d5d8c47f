import type { OpenAPIObject } from '@nestjs/swagger';
import { scopeExtension } from '../common/context/access.decorators.js';

type Operation = { description?: string } & { [scopeExtension]?: string };

/** Says in the description of every operation which scope it needs, for people; programs read the extension. */
export function describeScopes(document: OpenAPIObject): void {
  for (const item of Object.values(document.paths)) {
    for (const operation of Object.values(item as Record<string, Operation>)) {
      const scope = operation[scopeExtension];
      if (scope !== undefined) operation.description = `${operation.description ?? ''} Needs the scope \`${scope}\`.`.trim();
    }
  }
}
