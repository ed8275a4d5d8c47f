import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { readPassword } from './password-input.js';

/** A simulated terminal: tests read its output and write its input. */
class FakeTerminal {
  readonly input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (on: boolean) => this.raw.push(on) });
  readonly output = new PassThrough();
  readonly raw: boolean[] = [];

  get shown(): string {
    return (this.output.read() as Buffer | null)?.toString() ?? '';
  }
}

const piped = (text: string | Buffer) => {
  const input = new PassThrough();
  input.end(text);
  return { input, output: new PassThrough() };
};

describe('a password typed on the terminal', () => {
  let terminal: FakeTerminal;

  beforeEach(() => {
    terminal = new FakeTerminal();
  });

  it('is requested twice and never shown: the echo is off while it is typed', async () => {
    const read = readPassword(undefined, terminal);
    expect(terminal.raw).toEqual([true]);
    terminal.input.write('correct horse\r');
    await new Promise((resolve) => setImmediate(resolve));
    terminal.input.write('correct horse\r');
    expect(await read).toBe('correct horse');
    expect(terminal.raw).toEqual([true, false]);
    expect(terminal.shown).toBe('New password (8 to 200 characters, not shown): \nRepeat the password: \n');
  });

  it('can be pasted twice at once, and corrected with backspace', async () => {
    const read = readPassword('-', terminal);
    terminal.input.write('correct horsf\x7fe\rcorrect horse\r');
    expect(await read).toBe('correct horse');
  });

  it.each([
    ['the two differ', 'correct horse\rcorrect house\r', 'the passwords differ'],
    ['it is interrupted (Ctrl-C)', 'correct\x03', 'no password was entered'],
    ['the terminal is closed (Ctrl-D)', '\x04', 'no password was entered'],
    ['it is too short', 'short\rshort\r', 'The password must have 8 to 200 characters'],
  ])('is rejected if %s; the echo is on again, and nothing was shown', async (_what, typed, why) => {
    const read = readPassword(undefined, terminal);
    terminal.input.write(typed);
    await expect(read).rejects.toThrow(why);
    expect(terminal.raw.at(-1)).toBe(false);
    expect(terminal.shown).not.toMatch(/correct|short$/);
  });
});

describe('a password from a file', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'password-file-'));
  });

  afterAll(() => rm(folder, { recursive: true }));

  const readFrom = async (bytes: string | Buffer) => {
    const file = path.join(folder, 'secret');
    await writeFile(file, bytes);
    return readPassword(file, piped(''));
  };

  it.each([
    ['unchanged', 'correct horse', 'correct horse'],
    ['without one newline at the end', 'correct horse\n', 'correct horse'],
    ['without a Windows newline at the end', 'correct horse\r\n', 'correct horse'],
    ['with surrounding spaces', ' correct horse ', ' correct horse '],
  ])('is read %s', async (_how, bytes, password) => {
    expect(await readFrom(bytes)).toBe(password);
  });

  it.each<[string, string | Buffer, string]>([
    ['is too short', '1234567\n', 'must have 8 to 200 characters'],
    ['is not in UTF-8', Buffer.from([0xff, 0xfe, 1, 2, 3, 4, 5, 6, 7, 8]), 'is not UTF-8'],
  ])('is rejected if it %s', async (_why, bytes, message) => {
    await expect(readFrom(bytes)).rejects.toThrow(message);
  });

  it('can be standard input', async () => {
    expect(await readPassword('-', piped('correct horse\n'))).toBe('correct horse');
  });

  it('is rejected with the reason if the file cannot be read', async () => {
    const read = readPassword(path.join(folder, 'none'), piped(''));
    await expect(read).rejects.toThrow(/^The password file cannot be read: .*ENOENT/);
  });

  it('takes precedence over the terminal', async () => {
    const file = path.join(folder, 'on-terminal');
    await writeFile(file, 'correct horse\n');
    const terminal = new FakeTerminal();
    expect(await readPassword(file, terminal)).toBe('correct horse');
    expect(terminal.shown).toBe('');
  });
});

describe('a missing password', () => {
  it('is rejected, naming --password-file', async () => {
    await expect(readPassword(undefined, piped('correct horse\n'))).rejects.toThrow(/no terminal .* --password-file/);
  });
});
