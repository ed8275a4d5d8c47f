import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { DemoServer } from '../support/demo-server.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const root = path.resolve(__dirname, '../..');
const textOf = (page: string) => readFileSync(path.join(root, page), 'utf8');
// An embedded mongod starts slowly on a busy machine.
jest.setTimeout(90_000);

interface Response {
  _id?: string;
  data?: { _id?: string }[];
  nextCursor?: string;
  secret?: string;
}

/** Replaces IDs and times, which differ between runs. */
const comparable = (json: string): unknown =>
  JSON.parse(
    json
      .replace(/"[0-9a-f]{24}"/g, '"<id>"')
      .replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"<time>"')
      .replace(/"ffk_live_\w{12}"/g, '"<prefix>"'),
  );

const guide = ['quickstart', 'requests', 'synchronize', 'webhooks'].map((page) => `docs/integration-guide/${page}.md`);

describe('the commands in the documents', () => {
  let folder: string;
  let demo: DemoServer;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'documentation-test-'));
    [demo, receiver] = await Promise.all([DemoServer.start(folder), WebhookReceiver.start()]);
  });
  afterAll(async () => {
    await Promise.all([demo.server.end(), receiver.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  it.each([[['README.md']], [guide]])('work as %j say, with the IDs of earlier responses', async (pages) => {
    const found = pages
      .map(textOf)
      .join('\n')
      .matchAll(/^```(sh|json)\n([^]*?)^```$/gm);
    const blocks = [...found].map(([, kind, text = '']) => ({ kind, text }));
    let variables = '';
    let body = '{}';
    let secret: string | undefined;
    for (const [index, { kind, text }] of blocks.entries()) {
      if (kind === 'json') {
        expect(comparable(body)).toEqual(comparable(text));
        continue;
      }
      const { _id, data, nextCursor } = JSON.parse(body) as Response;
      const script = text
        .replace('localhost:8080', new URL(receiver.url).host.replace('127.0.0.1', 'localhost'))
        .replace(/^(SEASON|TEAM|GAME|ENDPOINT)=.*/m, `$1=${_id ?? data?.[0]?._id}`)
        .replace(/^CURSOR=.*/m, `CURSOR=${nextCursor}`);
      const { stdout } = await promisify(execFile)('bash', ['-euc', variables + script], { cwd: folder });
      variables += script.replace(/^curl[^]*/m, '');
      if (stdout === '' || stdout.startsWith('HTTP/1.1 304 ')) continue;
      body = stdout.slice(stdout.indexOf('{'));
      secret ??= (JSON.parse(body) as Response).secret;
      const next = blocks[index + 1];
      const isErrorExpected = next?.kind === 'json' && 'error' in (JSON.parse(next.text) as object);
      expect([script, 'error' in (JSON.parse(body) as object)]).toEqual([script, isErrorExpected]);
    }
    if (secret === undefined) return;
    // A webhook of the demo server arrives on this machine.
    await receiver.waitFor(1);
    for (const each of receiver.received) WebhookReceiver.verify(secret, each);
  });
});
