import { readFileSync } from 'node:fs';
import path from 'node:path';
import { TestApplication } from '../support/application.js';

const page = readFileSync(path.resolve(__dirname, '../../contributing/data-model.md'), 'utf8');
const [, collections = '', indexes = ''] = page.split(/^## /m);
const codeIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

describe('contributing/data-model.md', () => {
  const application = TestApplication.forTests();
  const models = () => Object.values(application.connection.models);

  it('has every collection, with its owner, deletion and revision', () => {
    const rows = [...collections.matchAll(/^\| `.*$/gm)].map(([row]) => {
      const [collection = '', owner = '', deletion, revision] = row.split(' | ').map((cell) => cell.trim());
      return [codeIn(collection)[0], owner.startsWith('organization'), deletion === 'yes', revision === 'counter'];
    });
    const has = (name: string) => (path: { path: (field: string) => unknown }) => path.path(name) !== undefined;
    const stored = models().map(({ schema, collection }) => [
      collection.name,
      ...['organizationId', 'deletedAt', 'revision'].map((field) => has(field)(schema)),
    ]);
    expect(rows.sort()).toEqual(stored.sort());
  });

  it('has every index of each collection', () => {
    const listed = new Map(
      [...indexes.matchAll(/^- \*\*(.*?):\*\* (.*)$/gm)].map(([, name = '', text = '']) => [name, text]),
    );
    const common = codeIn(listed.get('of synchronized records') ?? '').filter((name) => name.startsWith('one_'));
    for (const { schema, collection } of models()) {
      const text = listed.get(`\`${collection.name}\``) ?? '';
      const named = [...(text.startsWith('of synchronized records') ? common : []), ...codeIn(text)];
      const stored = schema.indexes().map(([, { name }]) => name);
      expect([collection.name, ...named.filter((name) => name.includes('_')).sort()]).toEqual([
        collection.name,
        ...stored.sort(),
      ]);
    }
  });
});
