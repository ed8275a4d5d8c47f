import { ModulesContainer } from '@nestjs/core';
import { TestApplication } from '../support/application.js';
import { captureCommands, explain, type Explanation } from '../support/explained.js';
import type { QueryCase } from '../support/query-case.js';
import { allQueryCases, repositories } from '../support/query-cases.js';
import { manyRecords } from '../support/many-records.js';

interface Explained {
  readonly look: QueryCase;
  readonly explanations: readonly Explanation[];
}

/** What methods only build or write, without looking for a record. */
const withoutLook = ['constructor', 'insert', 'insertOnce'];

describe('every look for records', () => {
  let application: TestApplication;
  let explained: Explained[];
  const called = new Set<string>();

  beforeAll(async () => {
    application = await TestApplication.start();
    const { connection } = application;
    const restore = repositories.map((repository) => noteCalls(repository, called));
    explained = [];
    for (const look of allQueryCases(application, await manyRecords(connection))) {
      const commands = await captureCommands(connection, look.call);
      const explanations = [];
      for (const command of commands) explanations.push(await explain(connection, command));
      explained.push({ look, explanations });
    }
    restore.forEach((back) => back());
  }, 60_000);

  afterAll(() => application.stop());

  /** The looks for which something is not as it must be, each with what the database does. */
  const wrong = (isWrong: (explanation: Explanation, look: QueryCase) => boolean) =>
    explained.flatMap(({ look, explanations }) =>
      explanations
        .filter((explanation) => isWrong(explanation, look))
        .map((explanation) => ({ look: look.name, ...explanation })),
    );

  it('is explained by the database: each sends a command, and each command has a plan', () => {
    expect(explained.filter(({ explanations }) => explanations.length === 0)).toEqual([]);
    expect(wrong(({ stages, indexes }) => stages.length === 0 && indexes.length === 0)).toEqual([]);
  });

  it('never reads a whole collection', () => {
    expect(wrong(({ stages }) => stages.includes('COLLSCAN'))).toEqual([]);
  });

  it('has its order from an index, but for the few live schedules', () => {
    expect(wrong(({ stages }, { sorts }) => sorts !== true && stages.includes('SORT'))).toEqual([]);
  });

  it('uses the index that is there for it', () => {
    const missing = explained.flatMap(({ look, explanations }) => {
      const used = explanations.flatMap(({ indexes }) => indexes);
      return look.indexes.filter((index) => !used.includes(index)).map((index) => ({ look: look.name, index, used }));
    });
    expect(missing).toEqual([]);
  });

  it('reads no more documents than its answer needs', () => {
    const allowed = ({ command }: Explanation, { documents, counted }: QueryCase) =>
      command === 'aggregate' && counted !== undefined ? counted : documents;
    expect(wrong((explanation, look) => explanation.documentsExamined > allowed(explanation, look))).toEqual([]);
  });

  it('reads no more entries of indexes than its answer needs, whatever lies before or behind it', () => {
    const held = explained.filter(({ look }) => look.keys !== undefined);
    expect(held.length).toBeGreaterThan(2);
    const isOver = ({ command, keysExamined }: Explanation, { keys = Infinity }: QueryCase) =>
      command === 'find' && keysExamined > keys;
    expect(wrong(isOver)).toEqual([]);
  });

  it('is in this test, whatever repository and method it is in', () => {
    const ofTheApplication = [...application.get(ModulesContainer).values()]
      .flatMap((module) => [...module.providers.values()])
      .map(({ metatype }) => metatype?.name ?? '')
      .filter((name) => name.endsWith('Repository'));
    expect(repositories.map(({ name }) => name).sort()).toEqual([...new Set(ofTheApplication)].sort());
    const methods = repositories.flatMap((repository) =>
      methodsOf(repository).map((method) => `${repository.name}.${method}`),
    );
    expect(methods.filter((method) => !called.has(method))).toEqual([]);
  });

  it('gives every index that exists a use', async () => {
    const used = new Set(
      explained.flatMap(({ explanations }) =>
        explanations.flatMap(({ collection, indexes }) => indexes.map((index) => `${collection}.${index}`)),
      ),
    );
    const idle: string[] = [];
    for (const { schema, collection } of Object.values(application.connection.models)) {
      const created = (await collection.listIndexes().toArray()).map(({ name }) => String(name));
      expect(created.sort()).toEqual(
        ['_id_', ...schema.indexes().map(([, options]) => options.name ?? 'unnamed')].sort(),
      );
      idle.push(
        ...created
          .filter((name) => name !== '_id_')
          .map((name) => `${collection.name}.${name}`)
          .filter((name) => !used.has(name)),
      );
    }
    expect(idle).toEqual([]);
  });
});

interface Repository {
  readonly name: string;
  readonly prototype: object;
}

function methodsOf({ prototype }: Repository): string[] {
  return Object.getOwnPropertyNames(prototype).filter((method) => !withoutLook.includes(method));
}

/** Notes which methods of a class are called, and calls them; gives what takes the noting back. */
function noteCalls(repository: Repository, called: Set<string>): () => void {
  const { prototype, name } = repository;
  const originals = Object.getOwnPropertyDescriptors(prototype);
  for (const method of methodsOf(repository)) {
    const original = originals[method as keyof typeof originals] as TypedPropertyDescriptor<
      (...given: unknown[]) => unknown
    >;
    Object.defineProperty(prototype, method, {
      ...original,
      value: function (this: object, ...given: unknown[]): unknown {
        called.add(`${name}.${method}`);
        return original.value?.apply(this, given);
      },
    });
  }
  return () => Object.defineProperties(prototype, originals);
}
