import type { ExecutionContext } from '@nestjs/common';

/** Finds something out of a route once, by its controller and its handler, as it does not change while the server runs. */
export function perRoute<T>(find: (route: ExecutionContext) => T): (route: ExecutionContext) => T {
  const known = new WeakMap<object, WeakMap<object, { readonly found: T }>>();
  return (route) => {
    const controller = route.getClass();
    const handler = route.getHandler();
    let ofController = known.get(controller);
    if (ofController === undefined) known.set(controller, (ofController = new WeakMap()));
    let answer = ofController.get(handler);
    if (answer === undefined) ofController.set(handler, (answer = { found: find(route) }));
    return answer.found;
  };
}
