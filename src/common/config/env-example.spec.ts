import { readFileSync } from 'node:fs';
import path from 'node:path';
import { environmentSchema } from './environment.js';

const root = path.resolve(__dirname, '../../..');
const names = Object.keys(environmentSchema.shape);

function textOf(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

/** The variables of .env.example with the default that is stated: every line of the form `#NAME=default`. */
function exampleVariables(): [name: string, stated: string][] {
  const lines = [...textOf('.env.example').matchAll(/^#?([A-Z][A-Z0-9_]*)=(.*)$/gm)];
  return lines.map((line) => [line[1] ?? '', line[2] ?? '']);
}

describe('.env.example', () => {
  it('names every variable of the schema once and no other', () => {
    expect(
      exampleVariables()
        .map(([name]) => name)
        .sort(),
    ).toEqual([...names].sort());
  });

  it('states the defaults of the schema', () => {
    const stated = Object.fromEntries(exampleVariables().filter(([, value]) => value !== ''));

    expect(environmentSchema.parse(stated)).toEqual(environmentSchema.parse({}));
    expect(Object.keys(stated).sort()).toEqual(Object.keys(environmentSchema.parse({})).sort());
  });

  it('sets nothing by itself', () => {
    expect(textOf('.env.example')).not.toMatch(/^[^#\n]/m);
  });
});

describe('docker-compose.yml', () => {
  /** What it asks for beside the server's own variables: of the front, of the database and of Docker. */
  const ofOthers = ['SITE_ADDRESS', 'BIND_ADDRESS', 'HTTPS_PORT', 'HTTP_PORT', 'MONGODB_CACHE_GB', 'STOP_GRACE_PERIOD'];

  it('hands only variables of the schema to the server, and asks for no others but those of the front, the database and Docker', () => {
    const text = textOf('docker-compose.yml');
    const server = /^x-server:[^]*?^x-mongodb:/m.exec(text)?.[0] ?? '';
    const handed = [...server.matchAll(/^ {4}([A-Z][A-Z0-9_]*):/gm)].map((match) => match[1] ?? '');
    const asked = [...text.matchAll(/\$\{(\w+)/g)].map((match) => match[1] ?? '');

    expect(handed.length).toBeGreaterThan(10);
    expect(handed.filter((name) => !names.includes(name))).toEqual([]);
    expect(asked.filter((name) => ![...names, ...ofOthers].includes(name))).toEqual([]);
  });

  it('asks for no variable that the operations page does not name', () => {
    const page = textOf('docs/operations.md');
    expect(ofOthers.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('gives no secret a default', () => {
    const defaults = [...textOf('docker-compose.yml').matchAll(/\$\{(\w+):-([^}]+)\}/g)].map((match) => match[1] ?? '');

    expect(defaults).not.toHaveLength(0);
    expect(defaults.filter((name) => /SECRET|PASSWORD|EMAIL|KEY|URI|TOKEN/.test(name))).toEqual([]);
  });
});
