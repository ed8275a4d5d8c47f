/**
 * Variables that let a server run some code of a test before its own: for faults that no request can bring about.
 * @param code an ES module; what it does lasts in the server's process
 */
export function preload(code: string): Record<string, string> {
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}` };
}

/** The lines of a log that are of a level, or have a message. */
export function logLines(log: string, what: { level?: string; msg?: string }): Record<string, unknown>[] {
  return log
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => Object.entries(what).every(([name, value]) => line[name] === value));
}
