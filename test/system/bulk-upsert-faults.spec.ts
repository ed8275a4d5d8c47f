import { expectError } from '../support/expectations.js';
import { database, serverOnOwnMongod } from '../support/mongod-process.js';
import { createOrganization } from '../support/organization.js';
import { type SynchronizedRecords, synchronizedRecords } from '../support/synchronized.js';

const { server, mongod } = serverOnOwnMongod();
let records: SynchronizedRecords;

beforeAll(async () => {
  records = await synchronizedRecords('player', await createOrganization(server));
});

afterEach(() => mongod.failCommands());

it.each([
  ['time limit', 'insert', 50],
  ['failover', 'update', 189],
] as const)(
  'a %s during the %s of a bulk upsert is 50301, and repeating it is safe',
  async (_what, command, errorCode) => {
    const existing = { externalId: `existing-${command}-${errorCode}`, name: 'Existing' };
    await records.bulk([existing]).expect(200);
    const rows = [
      { ...existing, name: 'Changed' },
      { externalId: `new-${command}-${errorCode}`, name: 'New' },
    ];
    await mongod.failCommands({ failCommands: [command], errorCode, namespace: `${database}.players` });
    expectError(await records.bulk(rows), 50301);
    await mongod.failCommands();
    expect((await records.bulk(rows).expect(200)).body).toMatchObject({ summary: { failed: 0 } });
    expect((await records.bulk(rows).expect(200)).body).toMatchObject({ summary: { unchanged: 2 } });
  },
);
