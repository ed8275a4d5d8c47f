import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { Writable } from 'node:stream';
import { passwordProblem } from '../common/validation/fields.js';
import { StartError } from '../common/config/configuration.js';

/** Where a person, or another program, answers. */
export interface Answering {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  /** Gets the questions, and nothing of the answers. */
  readonly output: NodeJS.WritableStream;
}

/**
 * A new password, by the rules of the house: from a file (`-` is standard input) or, twice and unseen, from the terminal.
 * @throws StartError that says why there is none, without what was typed or read
 */
export async function readPassword(file: string | undefined, answering: Answering): Promise<string> {
  const password = await given(file, answering);
  const problem = passwordProblem(password);
  if (problem !== undefined) throw new StartError(`The password ${problem}`);
  return password;
}

async function given(file: string | undefined, answering: Answering): Promise<string> {
  const onTerminal = answering.input.isTTY === true;
  if (onTerminal && (file === undefined || file === '-')) return askedTwice(answering);
  if (file === undefined) {
    throw new StartError(
      'There is no terminal to ask for the password on: name a file with --password-file (- is standard input)',
    );
  }
  const bytes = file === '-' ? buffer(answering.input) : readFile(file);
  return textOf(
    await bytes.catch((error: unknown) => {
      throw new StartError(`The password file cannot be read: ${(error as Error).message}`, { cause: error });
    }),
  );
}

/** UTF-8, without the one newline that editors and `echo` put at the end. */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
  } catch (error) {
    throw new StartError('The password file is not in UTF-8', { cause: error });
  }
}

async function askedTwice({ input, output }: Answering): Promise<string> {
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  // As a terminal, readline takes the echo into its own hands, and writes it where nobody sees it.
  const asking = createInterface({ input, output: unseen, terminal: true, historySize: 0 });
  const lines = asking[Symbol.asyncIterator]();
  const ask = async (question: string): Promise<string> => {
    output.write(question);
    const line = (await lines.next()) as IteratorResult<string, undefined>;
    output.write('\n');
    if (line.done === true) throw new StartError('No password was given: nothing was changed');
    return line.value;
  };
  try {
    const password = await ask('New password (8 to 200 characters, not shown): ');
    if ((await ask('Once more: ')) === password) return password;
    throw new StartError('The two are not the same: nothing was changed');
  } finally {
    asking.close();
  }
}
