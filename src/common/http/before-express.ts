import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** What is done with a request, and its answer, before Express gets to see it; without `next` it does not. */
export type Step = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/**
 * Puts steps between the server and Express, in this order. Express costs several times of what Node needs to read a
 * request: whoever is refused under load must be refused before. A step that throws costs its request, not the process.
 */
export function stepBefore(server: Server, steps: readonly Step[], onError: (error: unknown) => void): void {
  const [serve] = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
  if (serve === undefined) throw new Error('The server has no application');
  server.removeListener('request', serve);
  server.on('request', (request, response) => {
    // Without a listener, an error of a response whose connection was ended meanwhile would end the process.
    response.on('error', () => undefined);
    const go = (place: number): void => {
      try {
        const step = steps[place];
        if (step === undefined) serve(request, response);
        else step(request, response, () => go(place + 1));
      } catch (error) {
        onError(error);
        response.destroy();
      }
    };
    go(0);
  });
}
