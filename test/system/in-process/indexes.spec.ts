import { TestApplication } from '../../support/application.js';
import { captureCommands, explain, type Explanation } from '../../support/explained.js';
import type { QueryCase } from '../../support/query-case.js';
import { allQueryCases } from '../../support/query-cases.js';
import { manyRecords } from '../../support/many-records.js';

interface Explained {
  readonly queryCase: QueryCase;
  readonly explanations: readonly Explanation[];
}

describe('every repository query', () => {
  const application = TestApplication.forTests();
  let explained: Explained[];

  beforeAll(async () => {
    const { connection } = application;
    // What services repeat some seconds later would count as commands of a later query case.
    const { setTimeout: schedule } = globalThis;
    const later = (run: () => void, milliseconds = 0) => schedule(run, milliseconds < 5_000 ? milliseconds : 600_000);
    const timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation(later);
    explained = [];
    for (const queryCase of allQueryCases(application, await manyRecords(connection))) {
      const commands = await captureCommands(connection, queryCase.call);
      const explanations = [];
      for (const command of commands) explanations.push(await explain(connection, command));
      explained.push({ queryCase, explanations });
    }
    timers.mockRestore();
  }, 60_000);

  /** The query cases with a failed check, each with its explanation. */
  const wrong = (isWrong: (explanation: Explanation, queryCase: QueryCase) => boolean) =>
    explained.flatMap(({ queryCase, explanations }) =>
      explanations
        .filter((explanation) => isWrong(explanation, queryCase))
        .map((explanation) => ({ query: queryCase.name, ...explanation })),
    );

  it('would ignore other options of a path than its type and immutability, so no schema has one', () => {
    const paths = Object.values(application.connection.models).flatMap(({ schema }) => Object.values(schema.paths));
    const names = paths.flatMap((path) => Object.keys(path.options));
    expect([...new Set(names)].sort()).toEqual(['auto', 'immutable', 'type']);
  });

  it('finds every index of the schemas, and no other', async () => {
    const models = Object.values(application.connection.models);
    const declared = models.flatMap(({ collection, schema }) =>
      schema.indexes().map(([, { name }]) => `${collection.name}.${name ?? 'unnamed'}`),
    );
    const collections = (await application.connection.db?.collections()) ?? [];
    const found = await Promise.all(
      collections.map(async (each) => (await each.indexes()).map(({ name = '' }) => `${each.collectionName}.${name}`)),
    );
    expect(
      found
        .flat()
        .filter((name) => !name.endsWith('._id_'))
        .sort(),
    ).toEqual(declared.sort());
  });

  it('has a query plan', () => {
    expect(explained.filter(({ explanations }) => explanations.length === 0)).toEqual([]);
    expect(wrong(({ stages, indexes }) => stages.length === 0 && indexes.length === 0)).toEqual([]);
  });

  it('never scans a collection', () => {
    expect(wrong(({ stages }) => stages.includes('COLLSCAN'))).toEqual([]);
  });

  it('is sorted by an index, except the few live schedules', () => {
    expect(wrong(({ stages }, { sorts }) => sorts !== true && stages.includes('SORT'))).toEqual([]);
  });

  it('uses its index', () => {
    const missing = explained.flatMap(({ queryCase, explanations }) => {
      const used = explanations.flatMap(({ indexes }) => indexes);
      return queryCase.indexes
        .filter((index) => !used.includes(index))
        .map((index) => ({ query: queryCase.name, index, used }));
    });
    expect(missing).toEqual([]);
  });

  it('examines no more documents than its result needs', () => {
    const allowed = ({ command }: Explanation, { documents, counted }: QueryCase) =>
      command === 'aggregate' && counted !== undefined ? counted : documents;
    expect(wrong((explanation, queryCase) => explanation.documentsExamined > allowed(explanation, queryCase))).toEqual(
      [],
    );
  });

  it('examines no more index keys than its result needs', () => {
    const limited = explained.filter(({ queryCase }) => queryCase.keys !== undefined);
    expect(limited.length).toBeGreaterThan(2);
    const isOver = ({ command, keysExamined }: Explanation, { keys = Infinity }: QueryCase) =>
      command === 'find' && keysExamined > keys;
    expect(wrong(isOver)).toEqual([]);
  });

  it('uses every existing index, except TTL indexes, which no query uses unless its case names them', async () => {
    const used = new Set(
      explained.flatMap(({ explanations }) =>
        explanations.flatMap(({ collection, indexes }) => indexes.map((index) => `${collection}.${index}`)),
      ),
    );
    const unused: string[] = [];
    const expiring: string[] = [];
    for (const { schema, collection } of Object.values(application.connection.models)) {
      const created = (await collection.listIndexes().toArray()).map(({ name }) => String(name));
      expect(created.sort()).toEqual(
        ['_id_', ...schema.indexes().map(([, options]) => options.name ?? 'unnamed')].sort(),
      );
      const ttl = schema.indexes().filter(([, options]) => options.expireAfterSeconds !== undefined);
      expiring.push(...ttl.map(([, options]) => `${collection.name}.${options.name ?? 'unnamed'}`));
      unused.push(
        ...created
          .filter((name) => name !== '_id_')
          .map((name) => `${collection.name}.${name}`)
          .filter((name) => !used.has(name)),
      );
    }
    const named = new Set(explained.flatMap(({ queryCase }) => queryCase.indexes));
    expect(unused.sort()).toEqual(expiring.filter((name) => !named.has(name.slice(name.indexOf('.') + 1))).sort());
    expect(expiring).toContain('players.deleted_players');
  });
});
