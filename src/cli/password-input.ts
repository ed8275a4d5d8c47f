import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { Writable } from 'node:stream';
import { passwordProblem } from '../validation/fields.js';
import { StartError } from '../config/configuration.js';

/** The streams of a terminal, or of a program in its place. */
interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  /** Receives the prompts, but never the input. */
  readonly output: NodeJS.WritableStream;
}

/**
 * Reads and validates a new password: from a file (`-` is standard input), or twice from the terminal without echo.
 * @throws StartError if there is no valid password; its message does not contain the input
 */
export async function readPassword(file: string | undefined, terminal: Terminal): Promise<string> {
  const password = await readUnvalidated(file, terminal);
  const problem = passwordProblem(password);
  if (problem !== undefined) throw new StartError(`The password ${problem}`);
  return password;
}

/**
 * Reads one line from the terminal, or else from standard input.
 * @throws StartError if the input ends before a line
 */
export async function readLine(question: string, { input, output }: Terminal): Promise<string> {
  if (input.isTTY === true) output.write(question);
  const lines = createInterface({ input });
  const line = await lines[Symbol.asyncIterator]().next();
  lines.close();
  if (line.done === true) throw new StartError('Nothing was changed: nothing was entered');
  return line.value.trim();
}

async function readUnvalidated(file: string | undefined, terminal: Terminal): Promise<string> {
  const isInteractive = terminal.input.isTTY === true;
  if (isInteractive && (file === undefined || file === '-')) return promptTwice(terminal);
  if (file === undefined) {
    throw new StartError(
      'There is no terminal to read the password from: name a file with --password-file (- is standard input).',
    );
  }
  const reading = file === '-' ? buffer(terminal.input) : readFile(file);
  const bytes = await reading.catch((error: unknown) => {
    throw new StartError(`The password file cannot be read: ${(error as Error).message}`, { cause: error });
  });
  if (!isUtf8(bytes)) throw new StartError('The password file is not UTF-8');
  // Editors and `echo` append a newline.
  return new TextDecoder().decode(bytes).replace(/\r?\n$/, '');
}

async function promptTwice({ input, output }: Terminal): Promise<string> {
  const noEcho = new Writable({ write: (_chunk, _encoding, done) => done() });
  // With `terminal: true`, readline turns off the terminal's echo and writes its own echo to `output`.
  const prompt = createInterface({ input, output: noEcho, terminal: true, historySize: 0 });
  const lines = prompt[Symbol.asyncIterator]();
  const ask = async (question: string): Promise<string> => {
    output.write(question);
    const line = await lines.next();
    output.write('\n');
    if (line.done === true) throw new StartError('Nothing was changed: no password was entered');
    return line.value;
  };
  try {
    const password = await ask('New password (8 to 200 characters, not shown): ');
    if ((await ask('Repeat the password: ')) === password) return password;
    throw new StartError('Nothing was changed: the passwords differ');
  } finally {
    prompt.close();
  }
}
