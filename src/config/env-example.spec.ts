import { readFileSync } from 'node:fs';
import path from 'node:path';
import { environmentSchema } from './environment.js';
import { secretNames } from './secret-files.js';

const root = path.resolve(__dirname, '../..');
const names = [...Object.keys(environmentSchema.shape), ...secretNames.map((name) => `${name}_FILE`)];

function textOf(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

/** The variables of .env.example with their documented defaults: every line of the form `#NAME=default`. */
function exampleVariables(): [name: string, stated: string][] {
  const lines = [...textOf('.env.example').matchAll(/^#?([A-Z][A-Z0-9_]*)=(.*)$/gm)];
  return lines.map((line) => [line[1] ?? '', line[2] ?? '']);
}

describe('.env.example', () => {
  it('lists every variable that the server reads once, and no other', () => {
    expect(
      exampleVariables()
        .map(([name]) => name)
        .sort(),
    ).toEqual([...names].sort());
  });

  it('documents the defaults of the schema', () => {
    const stated = Object.fromEntries(exampleVariables().filter(([, value]) => value !== ''));

    expect(environmentSchema.parse(stated)).toEqual(environmentSchema.parse({}));
    expect(Object.keys(stated).sort()).toEqual(Object.keys(environmentSchema.parse({})).sort());
  });

  it('sets nothing', () => {
    expect(textOf('.env.example')).not.toMatch(/^[^#\n]/m);
  });
});

describe('docker-compose.yml', () => {
  /** Variables of the proxy, the database and Docker. */
  const ofOthers = [
    'SITE_ADDRESS',
    'ADMIN_NETWORKS',
    'BIND_ADDRESS',
    'HTTPS_PORT',
    'HTTP_PORT',
    'MONGODB_CACHE_GB',
    'MONGODB_MEMORY',
    'STOP_GRACE_PERIOD',
    'SOURCE_COMMIT',
  ];

  it('has its other variables at the end of .env.example', () => {
    const listed = [...textOf('.env.example').matchAll(/^# ([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual([...ofOthers].sort());
  });

  it('passes only variables of the schema to the server, and uses no others except for the proxy, database and Docker', () => {
    const text = textOf('docker-compose.yml');
    const server = /^x-server:[^]*?^x-mongodb:/m.exec(text)?.[0] ?? '';
    const handed = [...server.matchAll(/^ {4}([A-Z][A-Z0-9_]*):/gm)].map((match) => match[1] ?? '');
    const asked = [...text.matchAll(/\$\{(\w+)/g)].map((match) => match[1] ?? '');

    // Defaults of the image, secrets that files have, and what only development allows.
    const others = ['NODE_ENV', 'PORT', 'HOST', 'MONGOD_BINARY', 'WEBHOOK_ALLOW_PRIVATE_ADDRESSES'];
    const variables = names.filter((name) => !others.includes(name) && !name.endsWith('_FILE'));
    const isHanded = (name: string) => handed.includes(name) || handed.includes(`${name}_FILE`);
    expect(variables.filter((name) => !isHanded(name))).toEqual([]);
    expect(handed.filter((name) => !names.includes(name))).toEqual([]);
    expect(asked.filter((name) => ![...names, ...ofOthers].includes(name))).toEqual([]);
  });

  it('has no default for secrets', () => {
    const defaults = [...textOf('docker-compose.yml').matchAll(/\$\{(\w+):-([^}]+)\}/g)].map((match) => match[1] ?? '');

    expect(defaults).not.toHaveLength(0);
    expect(defaults.filter((name) => /(SECRET|PASSWORD|EMAIL|KEY|URI|TOKEN)$/.test(name))).toEqual([]);
  });
});
