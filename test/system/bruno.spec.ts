import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { load } from 'js-yaml';
import { DemoServer } from '../support/demo-server.js';

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

// An embedded mongod starts slowly on a busy machine.
jest.setTimeout(90_000);

describe('the documents for tools', () => {
  let folder: string;
  let demo: DemoServer;
  const read = (route: string) => demo.server.call('get', route).expect(200);

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'bruno-test-'));
    demo = await DemoServer.start(folder);
  });
  afterAll(async () => {
    await demo.server.end();
    await rm(folder, { recursive: true, force: true });
  });

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
