import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { publicDocument, publicOperations } from '../support/operations.js';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { parseEnv, promisify } from 'node:util';
import { load } from 'js-yaml';
import { environmentSchema } from '../../src/config/environment.js';
import { errorCatalogue } from '../../src/errors/error-catalogue.js';
import { optionalRequestFields, requestFields } from '../support/log-fields.js';

interface Envelope {
  readonly properties: { readonly error: { readonly 'x-error-codes': number[] } };
}

const root = path.resolve(__dirname, '../..');
const textOf = (page: string) => readFileSync(path.join(root, page), 'utf8');
const pagesBelow = (folder: string) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => path.join(folder, file));
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...['clients/python/README.md', 'clients/typescript/README.md'],
  ...['contributing', 'docs', 'deploy', 'examples', 'src'].flatMap(pagesBelow),
];

describe.each(pages)('%s', (page) => {
  it('links only to existing files and headings', () => {
    const links = [...textOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    const broken = links.filter(([, file = '', heading]) => {
      const target = file === '' ? page : path.join(path.dirname(page), file);
      if (!existsSync(path.join(root, target))) return true;
      return heading !== undefined && !headingsOf(target).includes(heading);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it('names only existing files', () => {
    const named = [...textOf(page).matchAll(/`((?:src|test|docs|deploy|bench|scripts|openapi|examples)\/[\w./-]+)`/g)];
    const isMissing = ([, file = '']: string[]) => !existsSync(path.join(root, file));
    expect(page === 'CHANGELOG.md' ? [] : named.filter(isMissing).map(([name]) => name)).toEqual([]);
  });
});

/** Returns the anchors that GitHub generates for the headings of a page. */
function headingsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

/** Returns the lines of a page that name files which lack a name that follows the file. */
function withMissingNames(page: string): string[] {
  return (textOf(page).match(/^(?:- |\d+\. |Errors ).*$/gm) ?? []).filter((line) => {
    // A text before the first file, then each file and the text after it.
    const [, ...parts] = line.split(/`((?:src|console|clients|deploy|test)\/[^`]+)`/);
    return parts.some((part, index) => {
      if (index % 2 === 0) return false;
      const text = textOf(parts[index - 1] ?? '');
      return [...part.matchAll(/`([^`]+)`/g)].some(([, name]) => !new RegExp(`\\b${name}\\b`).test(text));
    });
  });
}

it('contributing/security-tests.md names tests that exist', () => {
  const files = ['src', 'test'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }),
  );
  const tests = new Set(
    files
      .filter((file) => /\.(spec|types)\.ts$/.test(file))
      .map((file) => path.basename(file).replace(/(\.spec)?\.ts$/, '')),
  );
  const named = [...textOf('contributing/security-tests.md').matchAll(/`([a-z.-]+)`/g)].map(([, name = '']) => name);
  expect(named.filter((name) => name !== '.spec.ts' && !tests.has(name))).toEqual([]);
});

it.each(['where-is-the-rule', 'one-request', 'flows'])(
  'contributing/%s.md leads to files with the names after them',
  (name) => {
    expect(withMissingNames(`contributing/${name}.md`)).toEqual([]);
  },
);

describe('contributing/where-is-the-rule.md', () => {
  const page = textOf('contributing/where-is-the-rule.md');
  const rules = page.match(/^- .*$/gm) ?? [];

  it('has one rule in each line, with its file', () => {
    expect(rules.length).toBeGreaterThan(50);
    expect(rules.filter((rule) => !/^- \*\*.+:\*\* `(?:src|console|clients|deploy|test)\//.test(rule))).toEqual([]);
  });

  it('is short enough to be read', () => {
    const lines = page.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(120);
    expect(lines.filter((line) => line.length > 200)).toEqual([]);
  });
});

it('every error of the catalogue is found in src by its name', () => {
  const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const isSource = (file: string) => /(?<!\.spec)\.ts$/.test(file) && !file.endsWith('error-catalogue.ts');
  const source = files.filter(isSource).map((file) => textOf(path.join('src', file)));
  const isUsed = (name: string) => source.some((text) => text.includes(`'${name}'`));
  expect(Object.keys(errorCatalogue).filter((name) => !isUsed(name))).toEqual([]);
});

const guide = ['quickstart', 'requests', 'synchronize', 'webhooks'];

it.each(guide)(
  'the commands in docs/integration-guide/%s.md use only variables that it sets or says where to set',
  (name) => {
    const pageOf = (file: string) => textOf(path.join('docs/integration-guide', file));
    const page = pageOf(`${name}.md`);
    const [introduction = ''] = page.split(/^## /m);
    const linked = [...introduction.matchAll(/\]\((\w+\.md)#([\w-]+)\)/g)].map(([, file = '', heading]) => {
      const sections = pageOf(file).split(/^(?=## )/m);
      return sections.find(
        (section) => heading === section.slice(3).split('\n')[0]?.toLowerCase().replaceAll(' ', '-'),
      );
    });
    const commands = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, command = '']) => command).join('');
    const isSet = new Set(
      [...`${linked.join('')}${commands}`.matchAll(/^([A-Z]+)=/gm)].map(([, variable]) => variable),
    );
    // `npm start` writes the URL and the key of the demo.
    const used = [...commands.matchAll(/\$(?!DEMO_API_KEY\b|API\b)([A-Z]+)/g)].map(([, variable]) => variable);
    expect(used.length).toBeGreaterThan(5);
    expect(used.filter((variable) => !isSet.has(variable))).toEqual([]);
  },
);

it('the console has advice about each public error, except 401 and unknown records, of which the reason is told', () => {
  const { ErrorEnvelope } = publicDocument.components?.schemas as unknown as Record<'ErrorEnvelope', Envelope>;
  const codes = ErrorEnvelope.properties.error['x-error-codes'];
  const advice = textOf('console/src/organizations/error-advice.ts').matchAll(/^ {2}(\d{5}):/gm);
  const advised = [...advice].map(([, code]) => Number(code));
  expect(advised).toEqual(codes.filter((code) => code !== 40101 && (code < 40401 || code > 40499)));
});

describe('the public document', () => {
  const text = readFileSync(path.join(root, 'openapi/public.json'), 'utf8');

  it.each(publicOperations)('lists exactly the errors of $id', ({ errors, row, body }) => {
    const common = [40000, 40001, 40101, 40305, 40306, 42901, 42902, 50000, 50301, 50302];
    const ofBody = body === undefined ? [] : [41300, 41500];
    expect(errors).toEqual([...common, ...ofBody, ...(row.errors ?? [])].sort());
  });

  it('contains nothing of the admin API', () => {
    expect(
      Object.keys((JSON.parse(text) as OpenAPIObject).paths).filter((route) => !route.startsWith('/v1/public-api/')),
    ).toEqual([]);
    expect(text).not.toMatch(/secretHash|superAdmin|adminToken|password/i);
  });

  it('contains no internal field of a record', () => {
    expect(text).not.toMatch(/"(deletedAt|__v|idempotency|createdBy|statisticsWrittenAt)"/);
  });
});

const operatorsPages = readdirSync(path.join(root, 'docs/operators')).map((name) => textOf(`docs/operators/${name}`));
const blocksOf = (language: string) => {
  const block = new RegExp(`^ *\`\`\`${language}\n([^]*?)^ *\`\`\`$`, 'gm');
  return operatorsPages.flatMap((text) => [...text.matchAll(block)].map(([, found = '']) => found));
};
const commands = blocksOf('bash');

/** What tests run, and the test. */
const runBy = [
  [/secrets\/jwt/, 'test/api/documentation.spec.ts'],
  [/(keys|passwords)\.txt/, 'test/system/backup-drill.spec.ts'],
  [/npm run admin/, 'test/system/admin-command.spec.ts'],
  [/^npm ci/, '.ci/run'],
  [/flag-football copy/, 'test/system/client-import.spec.ts'],
  [/server\.log/, 'test/system/login-limits.spec.ts'],
  [/^use /, 'test/api/documentation.spec.ts'],
] as const;

describe('the pages for operators', () => {
  it('have only commands that a test runs, or of programs that they name as not tried', () => {
    const [, named = ''] = /except those of (.*)\.$/m.exec(textOf('docs/operators/README.md')) ?? [];
    const untried = ['docker', ...[...named.matchAll(/`(\w+)`/g)].map(([, program = '']) => program)];
    const isUntried = (text: string) => untried.some((program) => new RegExp(`\\b${program}\\b`).test(text));
    const test = (text: string) => runBy.find(([command]) => command.test(text))?.[1];
    expect(commands.length).toBeGreaterThan(10);
    expect(commands.filter((text) => !isUntried(text) && !existsSync(path.join(root, test(text) ?? '-')))).toEqual([]);
  });

  it('prepare secrets that the server accepts and only their owner and containers can read', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'operators-test-'));
    try {
      const text = commands.find((one) => one.includes('secrets/jwt')) ?? '';
      await symlink(path.join(root, 'deploy'), path.join(folder, 'deploy'));
      await promisify(execFile)('bash', ['-euc', text], { cwd: folder });
      const modes = ['secrets', 'secrets/jwt'].map((file) => statSync(path.join(folder, file)).mode & 0o777);
      expect(modes).toEqual([0o700, 0o444]);
      const variables = Object.entries(parseEnv(readFileSync(path.join(folder, '.env'), 'utf8')));
      const environment = variables.map(([name, value = '']) =>
        name.endsWith('_FILE')
          ? [name.slice(0, -5), readFileSync(path.join(folder, value), 'utf8').trim()]
          : [name, value],
      );
      expect(environment).toHaveLength(4);
      expect(environmentSchema.parse(Object.fromEntries(environment))).toMatchObject({
        SUPER_ADMIN_EMAIL: 'dana@example.com',
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('rotate a secret so that every server accepts it before one uses it', async () => {
    const parts = [/secrets\/jwt/, /^name=JWT_SECRET[^]*docker/, /^use /];
    const text = parts.map((part) => commands.find((one) => part.test(one))).join('');
    const folder = await mkdtemp(path.join(tmpdir(), 'operators-test-'));
    // Prints a line for each server that is restarted, with its variables.
    const docker = `#!/bin/sh
      [ "$2" = config ] && printf 'front\\nserver-1\\nserver-2\\n' && exit
      for last; do :; done
      echo $last $(grep ^JWT .env)`;
    try {
      await writeFile(path.join(folder, 'docker'), docker, { mode: 0o755 });
      await symlink(path.join(root, 'deploy'), path.join(folder, 'deploy'));
      const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
      const { stdout } = await promisify(execFile)('bash', ['-euc', text], { cwd: folder, env });
      const [first, second] = ['secrets/jwt', 'new'] as const;
      const restart = (used: string, accepted: string) =>
        [1, 2].map((n) => `server-${n} JWT_SECRET_FILE=${used} JWT_SECRET_SECONDARY_FILE=${accepted}`);
      const restarts = [...restart(first, second), ...restart(second, first), ...restart(second, '')];
      const printed = stdout.replace(/secrets\/JWT_SECRET-\d+/g, 'new').trim();
      expect(printed.split('\n')).toEqual(restarts);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('extend Docker Compose with a server that Caddy uses', () => {
    const compose = load(textOf('docker-compose.yml')) as { services: object };
    const overrides = blocksOf('yaml')
      .map((text) => load(text) as Record<string, unknown>)
      .filter((each) => 'services' in each) as { services: Record<string, Record<string, unknown>> }[];
    const services = Object.fromEntries(overrides.flatMap((each) => Object.entries(each.services)));
    expect(Object.keys(services).sort()).toEqual(['front', 'server-3']);
    expect(Object.keys(compose.services)).toContain((services['server-3']?.['extends'] as { service: string }).service);
    expect(services['front']?.['environment']).toEqual({
      UPSTREAMS: expect.stringContaining('server-3:3000') as string,
    });
  });

  it('name only fields that log lines have', () => {
    const fields = [
      ...requestFields,
      ...optionalRequestFields,
      'otelTraceId',
      'reason',
      'topCaller',
      'context',
      'err.stack',
    ];
    const [, logs = ''] = /^## Logs$([^]*?)^## /m.exec(textOf('docs/operators/monitor.md')) ?? [];
    const runbooks = textOf('docs/operators/alerts.md').match(/[^.]*\b(?:log|lines)\b[^.]*(?:\.\w[^.]*)*\./g) ?? [];
    const named = [logs, ...runbooks].flatMap((text) => text.match(/(?<=`)[a-z]+(?:[A-Z.][A-Za-z]*)*(?=`)/g) ?? []);
    const others = ['traceId', 'error', 'fatal', 'warn', 'debug', 'request', 'completed', 'changeStream'];
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((name) => ![...fields, ...others].includes(name))).toEqual([]);
  });
});
