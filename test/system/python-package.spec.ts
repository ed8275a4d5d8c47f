import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { type Fault, FaultyProxy } from '../support/faulty-proxy.js';
import { expiredCursor } from '../support/expired-cursor.js';
import { createGame, expectKeptScore, qbRow, rowsOfPlayers } from '../support/game.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { installPythonClient, pythonClient } from '../support/python-package.js';
import { RunningServer } from '../support/server.js';

const run = promisify(execFile);
const root = path.resolve(__dirname, '../..');
const rateLimited: Fault = { status: 429, error: 42901, retryAfter: 7 };
const unavailable: Fault = { status: 503, error: 50301, retryAfter: 2 };

/** Runs programs one after the other, because the start of Python and of the package takes longer than most of them. */
const interpreter = `
import contextlib, io, json, os, sys, traceback
for line in sys.stdin:
    program, access = json.loads(line)
    os.environ.update(access)
    said, failure = io.StringIO(), None
    with contextlib.redirect_stdout(said):
        try:
            exec(program, {})
        except Exception:
            failure = traceback.format_exc()
    print(json.dumps([failure, said.getvalue()]), flush=True)`;

describe('the package of the Python client', () => {
  let server: RunningServer;
  let organization: TestOrganization;
  let season: string;
  let teamId: string;
  let proxy: FaultyProxy;
  let folder: string;
  let environment: NodeJS.ProcessEnv;
  let wheel: string;
  let sources: string;
  let child: ChildProcessWithoutNullStreams;
  let answers: AsyncIterator<string>;

  beforeAll(async () => {
    server = await RunningServer.shared();
    folder = await mkdtemp(path.join(tmpdir(), 'python-package-'));
    ({ environment, wheel, sources } = await installPythonClient(folder));
    child = spawn('python3', ['-c', interpreter], { env: environment });
    answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  });
  afterAll(async () => {
    child.kill();
    await rm(folder, { recursive: true, force: true });
    await server.stop();
  });
  beforeEach(async () => {
    organization = await createOrganization(server);
    season = (await organization.season())._id;
    teamId = (await organization.team({ season }))._id;
    proxy = await FaultyProxy.start(server.url);
  });
  afterEach(() => proxy.stop());

  /** Runs a program that has a `client`, and returns the values that it shows and the times that it waits. */
  async function python(program: string): Promise<{ shown: unknown[]; delays: number[] }> {
    const setup = `
import json, os
from flag_football import *
delays = []
def show(value): print(json.dumps(value))
def error_of(call):
    try:
        call()
    except Exception as error:
        return error
client = Client(os.environ["API_KEY"], os.environ["API"], sleep=delays.append, rand=lambda: 0.5)
season, team_id = ${JSON.stringify(season)}, ${JSON.stringify(teamId)}
team = f"/teams/{team_id}"
players = f"{team}/players"
`;
    child.stdin.write(`${JSON.stringify([`${setup}${program}\nshow(delays)`, access()])}\n`);
    const { value } = (await answers.next()) as IteratorYieldResult<string>;
    const [failure, output] = JSON.parse(value) as [string | null, string];
    if (failure !== null) throw new Error(failure);
    const shown = output
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    return { delays: shown.pop() as number[], shown };
  }

  const access = () => ({ API: proxy.url, API_KEY: organization.key.apiKey });

  async function runPython(program: string, ...words: string[]): Promise<string> {
    const file = path.join(folder, 'program.py');
    await writeFile(file, program);
    const env = { ...environment, ...access(), PYTHONDONTWRITEBYTECODE: '1' };
    return (await run('python3', [file, ...words], { env, cwd: folder })).stdout.trim();
  }

  /** Lets the first requests fail, one fault each. */
  function failWith(...faults: Fault[]): void {
    proxy.faultOf = () => faults.shift();
  }

  it('contains only the module with its type hints and the license, and states where it is from', async () => {
    const { stdout } = await run('python3', ['-m', 'zipfile', '--list', wheel]);
    const files = stdout.match(/^\S+(?= +\d{4}-)/gm)?.map((file) => file.replace(/^flag_football_client-[\d.]+\./, ''));
    const metadata = ['METADATA', 'WHEEL', 'licenses/LICENSE', 'RECORD'].map((file) => `dist-info/${file}`);
    expect(files).toEqual(['flag_football/__init__.py', 'flag_football/py.typed', ...metadata]);
    const shown = await runPython(`
from importlib.metadata import metadata
stated = metadata("flag-football-client")
for name in ("License-Expression", "Project-URL", "Requires-Python", "Requires-Dist"): print(stated[name])`);
    const { repository } = JSON.parse(await readFile(path.join(root, 'clients/typescript/package.json'), 'utf8')) as {
      repository: { url: string };
    };
    const url = repository.url.replace(/^git\+|\.git$/g, '');
    expect(shown.split('\n')).toEqual(['MIT', `Repository, ${url}`, '>=3.9', 'httpx<1,>=0.28.1']);
  });

  it('passes its own tests, which the archive of its sources has', async () => {
    await run('tar', ['--extract', '--strip-components=1', '--file', sources], { cwd: folder });
    const discover = ['-m', 'unittest', 'discover', '--start-directory', 'tests'];
    const { stderr } = await run('python3', discover, { cwd: folder, env: environment });
    expect(stderr).toMatch(/^Ran [1-9]\d* tests[^]*\nOK\n$/m);
  });

  it('has the module that the server serves as a file', async () => {
    const response = await fetch(`${server.url}/docs/examples/python/flag_football.py`);
    const installed = await readFile(path.join(String(environment['PYTHONPATH']), 'flag_football/__init__.py'), 'utf8');
    expect(await response.text()).toBe(installed);
  });

  it('does what the README shows', async () => {
    const readme = await readFile(path.join(pythonClient, 'README.md'), 'utf8');
    const program = /^```python\n([^]*?)^```$/m.exec(readme)?.[1] ?? '';
    const output = await runPython(program);
    expect(output.split('\n')[0]).toBe('Jordan Lee');
    const teams = await organization.call('get', '/teams').expect(200);
    expect(teams.body).toMatchObject({ data: [{}, { name: 'Lakeside Owls', ageGroup: '12U', revision: 2 }] });
  });

  it('keeps the score and the statistics of one side with scorekeeper.py', async () => {
    const game = await createGame(server);
    await game.write([qbRow(game.awayPlayer, 9)]);
    ({ organization } = game);
    const program = await readFile(path.join(root, 'examples/python/scorekeeper.py'), 'utf8');
    for (let time = 0; time < 2; time++) await runPython(program, game.schedule._id, game.home._id);
    await expectKeptScore(game);
  });

  it('waits for Retry-After and a random part of a growing time before each retry', async () => {
    const tomorrow = new Date(Date.now() + 24 * 3_600_000).toUTCString();
    const dated: Fault = { status: 504, error: 0, retryAfter: tomorrow };
    failWith(rateLimited, unavailable, 'lost response', { status: 502, error: 0 }, dated);
    const { shown, delays } = await python('show([row["_id"] for row in client.rows("/teams")])');
    expect(shown).toEqual([[teamId]]);
    // It waits at most 1 hour for a date.
    expect(delays).toEqual([7.25, 2.5, 1, 2, 3_600 + 4]);
    proxy.faultOf = () => unavailable;
    const failed = await python('show(error_of(lambda: client.get(team)).code)');
    expect(failed.shown).toEqual([50301]);
    expect(failed.delays).toHaveLength(5);
  });

  it('creates one record if responses are lost, with the same idem-key', async () => {
    failWith('lost response', 'lost request', unavailable);
    await python('client.create(players, {"name": "Jordan Lee"})');
    await python('client.create(players, {"name": "Alex Kim"}, idem_key="member-2")');
    expect(proxy.idemKeys).toEqual([...Array<string | undefined>(4).fill(proxy.idemKeys[0]), 'member-2']);
    expect(proxy.idemKeys[0]).toMatch(/^[\da-f-]{36}$/);
    expect((await organization.call('get', `/teams/${teamId}/players`)).body).toMatchObject({ total: 2 });
  });

  it('repeats a request that is not safe to repeat only after 429', async () => {
    failWith(rateLimited, 'lost request');
    const { shown } = await python('show(type(error_of(lambda: client.post("/webhook-endpoints", {}))).__name__)');
    expect(shown).toEqual(['ConnectionLost']);
    expect(proxy.requests).toHaveLength(2);
  });

  it('repeats bulk requests, and iterates all rows of a list', async () => {
    proxy.faultOf = () => (proxy.requests.length % 2 === 1 ? 'lost response' : undefined);
    const { shown } = await python(`
rows = [{"externalId": f"member-{number}", "name": "Jordan Lee"} for number in range(130)]
show(len(list(client.bulk_upsert(f"{players}/bulk", rows))))
show([row["externalId"] for row in client.rows(players)])
show([len(page["data"]) for page in client.pages(players, limit=60, page=2)])`);
    const externalIds = Array.from({ length: 130 }, (_, index) => `member-${index}`);
    expect(shown).toEqual([130, externalIds, [60, 10]]);
  });

  it('iterates lists that have only pages to their end, also if rows are removed meanwhile', async () => {
    const game = await createGame(server);
    const rows = await rowsOfPlayers(game, 130);
    await game.write(rows);
    ({ organization } = game);
    const totals = (query: string) => `[[row["playerId"] for row in page["data"]] for page in
      client.pages("/seasons/${String(game.home['season'])}/player-statistics", category="qb"${query})]`;
    const lengths = (query: string) => `show([len(page) for page in ${totals(query)}])`;
    const { shown } = await python(`
show(sorted(sum(${totals('')}, [])))
${lengths('')}
${lengths(', page=6')}
${lengths(', limit=60')}
show(len(list(client.rows("/schedules/${game.schedule._id}/player-statistics"))))`);
    expect(shown).toEqual([rows.map(({ playerId }) => playerId).sort(), [100, 30], [20, 10], [60, 60, 10], 130]);
    let number = 20;
    proxy.faultOf = async () => (await game.write(rows.slice(0, (number -= 6))), undefined);
    expect((await python(lengths(', limit=5'))).shown).toEqual([[5, 3]]);
  });

  it('follows the change feed from a stored cursor, without missing a write that happens meanwhile', async () => {
    const player = await organization.player(teamId);
    const follow = async (cursor: string | null) => {
      const { shown } = await python(`
copy = {}
for page in client.pages("/changes", cursor=json.loads(${JSON.stringify(JSON.stringify(cursor))}), kinds=["team", "player"], limit=1):
    copy.update({change["id"]: change.get("record") for change in page["data"]})
show(page["nextCursor"])
show(copy)`);
      return shown as [string, Record<string, { name: string }>];
    };
    let cursor: string | null = null;
    await eventually('the feed has both records', async () => {
      const [next, copy] = await follow(null);
      cursor = next;
      return Object.keys(copy).length === 2;
    });
    await organization.call('patch', `/teams/${teamId}`).send({ name: 'Wolves' }).expect(200);
    let isRenamed = false;
    proxy.faultOf = async () => {
      if (!isRenamed)
        await organization.call('patch', `/teams/${teamId}/players/${player._id}`).send({ name: 'Alex Kim' });
      isRenamed = true;
      return undefined;
    };
    const copy: Record<string, { name: string }> = {};
    await eventually('the feed has both changes', async () => {
      const [next, changed] = await follow(cursor);
      cursor = next;
      Object.assign(copy, changed);
      return copy[teamId]?.name === 'Wolves' && copy[player._id]?.name === 'Alex Kim';
    });
  });

  it('raises errors with status, code, details and trace ID, and without the API key', async () => {
    const { apiKey } = organization.key;
    const cursor = expiredCursor(organization.id, ['team']);
    const { shown } = await python(`
import traceback
errors = [
    error_of(lambda: client.create("/teams", {"name": "", "season": season})),
    error_of(lambda: next(client.pages("/changes", kinds=["team"], cursor=${JSON.stringify(cursor)}))),
]
show([[error.status, error.code, len(error.details), bool(error.trace_id)] for error in errors])
errors += [
    error_of(lambda: Client(os.environ["API_KEY"] + "\\n", os.environ["API"])),
    error_of(lambda: Client(os.environ["API_KEY"] + "…", os.environ["API"])),
    error_of(lambda: Client(os.environ["API_KEY"], "http://127.0.0.1:1", max_retries=0).get(team)),
    error_of(lambda: client.get("/teams/../seasons")),
]
show([type(error).__name__ for error in errors])
show(["".join(traceback.format_exception(error)) for error in errors] + [repr(vars(client))])`);
    expect(shown[0]).toEqual([
      [400, 40001, 1, true],
      [410, 41001, 0, true],
    ]);
    expect(shown[1]).toEqual(['ApiError', 'ApiError', 'ValueError', 'ValueError', 'ConnectionLost', 'ValueError']);
    expect(JSON.stringify(shown)).not.toContain(apiKey);
  });

  it('sends revisions: an unchanged record is returned itself, and a conflict is 41201', async () => {
    const { shown } = await python(`
first = client.get(team)
show(client.get(team, if_none_match=first) is first)
changed = client.update(team, {"name": "Foxes"}, if_match=first)
show(client.get(team, if_none_match=first) == changed)
show(error_of(lambda: client.update(team, {"name": "Bears"}, if_match=first)).code)
show(error_of(lambda: client.delete(f"{players}/{season}")).status)`);
    expect(shown).toEqual([true, true, 41201, 404]);
  });

  it('verifies webhooks that the standardwebhooks package has signed', async () => {
    const secretOf = (text: string) => `whsec_${Buffer.from(text.padEnd(32)).toString('base64')}`;
    const secrets = ['the secret', 'another secret'].map(secretOf);
    const [secret = '', otherSecret = ''] = secrets;
    const body = JSON.stringify({ type: 'team.updated', data: { externalId: 'Łódź' } });
    const now = new Date('2027-05-01T10:00:00Z');
    const sign = (signers: string[], age = 0) => {
      const at = new Date(now.getTime() - age * 1_000);
      const signatures = signers.map((each) => new Webhook(each).sign('event-1', at, body));
      return {
        'Webhook-Id': 'event-1',
        'Webhook-Timestamp': String(at.getTime() / 1_000),
        'Webhook-Signature': signatures.join(' '),
      };
    };
    const requests: [Record<string, string>, string, string | string[]][] = [
      [sign([secret]), body, secret],
      [sign([otherSecret, secret], 300), body, secret],
      [sign([secret], -300), body, [otherSecret, secret]],
      [sign([secret]), body.replace('team', 'none'), secret],
      [sign([otherSecret]), body, secret],
      [sign([secret], 301), body, secret],
      [{ ...sign([secret]), 'Webhook-Signature': 'v1 v1,é v2,x' }, body, secret],
      [{}, body, secret],
      [sign([secret]), body, 'whsec_'],
    ];
    const { shown } = await python(`
for headers, body, secret in json.loads(${JSON.stringify(JSON.stringify(requests))}):
    try:
        event = verify_webhook(body.encode(), headers, secret, now=lambda: ${now.getTime() / 1_000})
        show([event["id"], event["data"]["externalId"]])
    except Exception as error:
        show(type(error).__name__)`);
    const rejected = Array<string>(5).fill('WebhookVerificationError');
    expect(shown).toEqual([...Array<string[]>(3).fill(['event-1', 'Łódź']), ...rejected, 'ValueError']);
  });
});
