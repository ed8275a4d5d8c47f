import { createRequire } from 'node:module';

/**
 * Repairs direct access of Cloud Code to its own server, the default of Parse Server. Version 9 reads path parameters
 * from a layer of `router`, which stored them there until 2.2. Version 2.3, which npm installs, only returns them, and
 * every query of Cloud Code fails. Without direct access, each query would be an HTTP request.
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
