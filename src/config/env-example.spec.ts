import { readFileSync } from 'node:fs';
import path from 'node:path';
import { environmentSchema } from './environment.js';

const root = path.resolve(__dirname, '../..');
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
  it('hands only variables of the schema to the server, and asks for no others', () => {
    const text = textOf('docker-compose.yml');
    const handed = [...text.matchAll(/^ {6}([A-Z][A-Z0-9_]*):/gm)].map((match) => match[1]);
    const asked = [...text.matchAll(/\$\{(\w+)/g)].map((match) => match[1]);

    expect(handed).not.toHaveLength(0);
    expect([...handed, ...asked].filter((name) => !names.includes(name ?? ''))).toEqual([]);
  });

  it('gives no secret a default', () => {
    const defaults = [...textOf('docker-compose.yml').matchAll(/\$\{(\w+):-([^}]+)\}/g)].map((match) => match[0]);

    expect(defaults).toEqual(['${PORT:-3000}']);
  });
});
