import type { OpenAPIObject } from '@nestjs/swagger';
import { scopeExtension } from '../common/context/access.decorators.js';

/** Says in the description of every operation which scope it needs, for people; programs read the extension. */
export function describeScopes(document: OpenAPIObject): void {
  for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item as object))) {
    const described = operation as { description?: string; [scopeExtension]?: string };
    const scope = described[scopeExtension];
    if (scope !== undefined) described.description = `${described.description ?? ''} Needs the scope \`${scope}\`.`.trim();
  }
}
