import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { load } from 'js-yaml';
import { DemoServer } from '../support/demo-server.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const root = path.resolve(__dirname, '../..');
const textOf = (page: string) => readFileSync(path.join(root, page), 'utf8');
// An embedded mongod starts slowly on a busy machine.
jest.setTimeout(90_000);

interface Entry {
  readonly name: string;
  readonly value: string;
  readonly type?: string;
  readonly enabled: boolean;
}

interface Item {
  readonly name: string;
  readonly items?: Item[];
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly params: Entry[];
    readonly headers: Entry[];
    readonly body: { readonly json?: string };
  };
}

/** What cannot succeed with the demo, and the status. */
const failures: Record<string, number> = {
  'Delete a team by its external ID': 409,
  'Delete a team': 409,
  // Deleted before by their external IDs.
  'Delete a player': 404,
  'Delete a schedule': 404,
  'Reset a sandbox': 403,
};

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

describe('a demo server', () => {
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

  it.each([[['README.md']], [guide]])('runs commands as %j say, with the IDs of earlier responses', async (pages) => {
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

  describe('has documents for tools that', () => {
    const read = (route: string) => demo.server.call('get', route).expect(200);

    /** Sends a request as Bruno does. */
    async function send({ request }: Item): Promise<number> {
      const fill = (text: string) => text.replace('{{server}}', demo.server.url).replace('{{$guid}}', randomUUID());
      const inPath = (name: string) =>
        request.params.find((param) => param.type === 'path' && param.name === name)?.value;
      const url = new URL(fill(request.url).replace(/\/:(\w+)/g, (_, name: string) => `/${inPath(name)}`));
      for (const { name, value, type, enabled } of request.params)
        if (type === 'query' && enabled) url.searchParams.set(name, value);
      const headers = new Headers({ Authorization: `Bearer ${demo.key}`, 'Content-Type': 'application/json' });
      for (const { name, value, enabled } of request.headers) if (enabled) headers.set(name, fill(value));
      const { json = null } = request.body;
      return (await fetch(url, { method: request.method, headers, body: json })).status;
    }

    it('include a Bruno collection, each of whose requests succeeds with the demo', async () => {
      const { items, environments } = (await read('/docs/bruno.json')).body as {
        items: Item[];
        environments: { variables: Entry[] }[];
      };
      expect(environments[0]?.variables).toContainEqual(
        expect.objectContaining({ name: 'server', value: demo.server.url }),
      );
      const requests = items.flatMap((folder) => folder.items ?? []);
      // Deletions last, because the others need the records.
      const sorted = requests.toSorted(
        (one, other) => Number(one.request.method === 'DELETE') - Number(other.request.method === 'DELETE'),
      );
      const statuses: [string, number][] = [];
      for (const item of sorted) statuses.push([item.name, await send(item)]);
      const failed = statuses.filter(([, status]) => status >= 300);
      expect(Object.fromEntries(failed)).toEqual(failures);
      expect(statuses.length).toBeGreaterThan(50);
    });

    it('include the OpenAPI document as YAML, with the URL of the server', async () => {
      const { text, headers } = await read('/openapi.yaml');
      expect(headers['content-type']).toMatch(/^application\/yaml/);
      const { body } = (await read('/openapi.json')) as { body: object };
      expect(load(text)).toEqual(body);
      expect(body).toMatchObject({ servers: [{ url: demo.server.url }] });
    });

    it('include the guide and every operation in one text', async () => {
      const { text } = await read('/llms-full.txt');
      const operations = (await demo.operations('/openapi.json')).map(
        (each) => `\n## ${each.method.toUpperCase()} ${each.path}\n`,
      );
      expect(operations.length).toBeGreaterThan(50);
      for (const part of ['# Quickstart', '"teamTwoId"', '## CreateTeam', ...operations]) expect(text).toContain(part);
    });
  });
});
