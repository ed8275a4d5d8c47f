import { createRequire } from 'node:module';

/**
 * Lets Cloud Code ask its own server directly, as is Parse Server's default. Its 9.x takes the parameters of a path from a layer of
 * `router`, which kept them there until 2.2; 2.3, which is what npm installs for its range, only returns them, and every query of
 * Cloud Code fails. Going over HTTP in their place would cost it a request of its own for each query.
 */
export function mendDirectAccess() {
  const Layer = createRequire(import.meta.resolve('parse-server'))('router/lib/layer');
  const { match } = Layer.prototype;
  Layer.prototype.match = function (path) {
    const found = match.call(this, path);
    this.params = found.params;
    return found;
  };
}
