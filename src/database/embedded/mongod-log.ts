interface LogLine {
  readonly s?: string;
  readonly msg?: string;
  readonly attr?: { readonly error?: unknown; readonly reason?: unknown; readonly message?: unknown };
}

/** Causes that a person can do something about, in whatever line they stand. */
const KNOWN_CAUSES =
  /no space left|disk quota|read-only file system|permission denied|featureCompatibilityVersion|unsupported upgrade|corrupt|too many open files|cannot allocate/i;

/**
 * Finds the cause of a failed start in what mongod wrote: lines of JSON, or plain text if it did not get as far as its log.
 * @returns one line of at most 400 characters; empty if the log says nothing
 */
export function causeOfFailure(log: string): string {
  const problems = log.split('\n').flatMap((line) => {
    const parsed = parse(line);
    return 'WEF'.includes(parsed.s ?? 'I') ? [{ severity: parsed.s, text: describe(parsed) }] : [];
  });
  const known = problems.find(({ text }) => KNOWN_CAUSES.test(text));
  // The first error is the cause; the later ones follow from it.
  const cause = known ?? problems.find(({ severity }) => severity !== 'W');
  return (cause?.text ?? log.trim().split('\n').at(-1) ?? '').slice(0, 400);
}

function parse(line: string): LogLine {
  if (!line.startsWith('{')) return line.trim() === '' ? {} : { s: 'E', msg: line };
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return {}; // mongod ended while it wrote the line
  }
}

function describe({ msg = '', attr = {} }: LogLine): string {
  const cause = attr.message ?? attr.error ?? attr.reason ?? '';
  // An object of the server has an `errmsg`, one of its storage engine a `msg`.
  const { errmsg, msg: text } = Object(cause) as { errmsg?: string; msg?: string };
  const readable = typeof cause === 'string' ? cause : (errmsg ?? text ?? JSON.stringify(cause));
  return `${msg}: ${readable}`.replace(/\s+/g, ' ').replace(/: $/, '').trim();
}
