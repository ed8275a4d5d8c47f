import type { OpenAPIObject } from '@nestjs/swagger';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

const reference = /"#\/components\/schemas\/([^"]+)"/g;

/** The schemas that a document's paths and answers lead to, in alphabetical order; the others are of the other document. */
export function reachableSchemas(document: OpenAPIObject): Schemas {
  const all = document.components?.schemas ?? {};
  const reached = new Set<string>();
  const waiting = namesIn({ paths: document.paths, responses: document.components?.responses });
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    waiting.push(...namesIn(all[name]));
  }
  return Object.fromEntries(
    [...reached].sort().flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])),
  );
}

function namesIn(part: unknown): string[] {
  return [...JSON.stringify(part ?? null).matchAll(reference)].map((match) => match[1] ?? '');
}
