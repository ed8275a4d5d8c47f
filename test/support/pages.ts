import type { RunningServer } from './server.js';

/** Returns the path of the script of the API reference, the largest file that the server sends. */
export async function referenceScript(server: RunningServer): Promise<string> {
  const { text } = await server.call('get', '/docs').expect(200);
  const [, script] = /<script src="([^"]+)"/.exec(text) ?? [];
  if (script === undefined) throw new Error('The page has no script');
  return script;
}
