import type { Request } from 'express';

/** What this module needs to know of a layer of Express 5's router. */
interface RouterLayer {
  match(path: string): boolean;
  route?: { methods: Record<string, boolean> };
}

/** The methods that the path of a request knows, in upper case; none for an unknown path. */
export function allowedMethods(request: Request): string[] {
  const layers = (request.app.router as unknown as { stack: RouterLayer[] }).stack;
  const methods = new Set<string>();
  for (const layer of layers) {
    if (layer.route === undefined || !layer.match(request.path)) continue;
    for (const [method, known] of Object.entries(layer.route.methods)) if (known) methods.add(method.toUpperCase());
  }
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}
