/** Why mongod ended, from its log. */
export interface MongodFailure {
  /** What the caller can do something about; `other` for all else. */
  kind: 'folder-in-use' | 'port-taken' | 'other';
  /** The line of the log that tells most, cut to a readable length; empty if the log says nothing. */
  detail: string;
}

interface LogLine {
  s?: string;
  msg?: string;
  attr?: { error?: unknown; reason?: unknown; message?: unknown };
}

/**
 * Causes that a human can do something about; the log goes on for a while with what follows from them.
 * `Error: ` begins the one readable line when it was not mongod but its keeper that did not run.
 */
const TELLING =
  /no space left|disk quota|read-only file system|permission denied|featureCompatibilityVersion|unsupported upgrade|corrupt|too many open files|cannot allocate|^Error: /i;

const LONGEST = 400;

/**
 * Finds the cause in what mongod wrote during one start: lines of JSON, or plain text where it did not come as far as its own log.
 * @param log the part of the log that belongs to this start
 */
export function explainFailure(log: string): MongodFailure {
  const lines = log.split('\n').filter((line) => line.trim() !== '');
  const troubles = lines.filter((line) => 'WEF'.includes(severityOf(line)));
  const find = (pattern: RegExp): string | undefined => troubles.map(describe).find((line) => pattern.test(line));
  const inUse = find(/DBPathInUse/);
  if (inUse !== undefined) return { kind: 'folder-in-use', detail: inUse };
  const portTaken = find(/address already in use/i);
  if (portTaken !== undefined) return { kind: 'port-taken', detail: portTaken };
  // The first error is the cause, those after it are how mongod goes down because of it.
  const firstError = troubles.find((line) => severityOf(line) !== 'W') ?? lines.at(-1) ?? '';
  return { kind: 'other', detail: find(TELLING) ?? describe(firstError) };
}

function parse(line: string): LogLine | null {
  if (!line.startsWith('{')) return null;
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return null; // the line was being written when mongod died
  }
}

/** A letter as mongod gives it: I, W, E, F, D1 to D5. Text that is not its log is an error, a line cut off in the middle is not. */
function severityOf(line: string): string {
  return parse(line)?.s ?? (line.startsWith('{') ? 'I' : 'E');
}

function describe(line: string): string {
  const parsed = parse(line);
  const { message, error, reason } = parsed?.attr ?? {};
  const parts = parsed === null ? [line] : [parsed.msg, readable(message ?? error ?? reason)];
  return parts
    .filter((part) => part !== undefined)
    .join(': ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, LONGEST);
}

/** The text in a cause, which is one itself, or an object around one: of the server (`errmsg`), of its storage engine (`msg`). */
function readable(cause: unknown): string | undefined {
  if (cause === undefined || typeof cause === 'string') return cause;
  const { errmsg, msg } = (cause ?? {}) as { errmsg?: unknown; msg?: unknown };
  const text = errmsg ?? msg;
  return typeof text === 'string' ? text : JSON.stringify(cause);
}
