import { randomBytes } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { mongo } from 'mongoose';
import { DatabaseService } from '../../src/database/database.service.js';
import { exportDatabase } from '../../src/database/transfer/export-database.js';
import { importDatabase } from '../../src/database/transfer/import-database.js';
import { UnfinishedImport } from '../../src/database/transfer/unfinished-import.js';
import { TestApplication } from '../support/application.js';
import { manyRecords } from '../support/many-records.js';
import { eventually } from '../support/processes.js';

const { Binary, Decimal128, Double, Int32, Long, ObjectId, serialize, Timestamp } = mongo.BSON;

let source: TestApplication;
let target: TestApplication;

beforeAll(async () => {
  source = await TestApplication.start();
  target = await TestApplication.start();
});

afterEach(async () => {
  await source.connection.dropDatabase();
  await target.connection.dropDatabase();
});

afterAll(async () => {
  await source.stop();
  await target.stop();
});

/** Exports as the command does. */
async function exported(leftOut: readonly string[] = [], more: readonly string[] = []): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  const database = source.get(DatabaseService);
  const options = { known: [...database.collections, ...more], leftOut, atOneMoment: true };
  await database.withPatience((connection) => exportDatabase(connection, options, sink));
  return Buffer.concat(chunks);
}

/** Imports as the command does; what it told. */
async function imported(file: Buffer, open = () => Readable.from([file])): Promise<string[]> {
  const told: string[] = [];
  const database = target.get(DatabaseService);
  const makeIndexes = () => database.ensureIndexes();
  const options = { known: database.collections, open, makeIndexes, tell: (line: string) => void told.push(line) };
  await database.withPatience((connection) => importDatabase(connection, options));
  return told;
}

/** Every document's bytes, by collection. */
async function bytesIn(application: TestApplication): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {};
  for (const { name } of (await application.connection.db?.listCollections().toArray()) ?? []) {
    const found = application.connection.collection(name).find({}, { raw: true, sort: { _id: 1 } });
    const documents = (await found.toArray()).map((raw) => (raw as unknown as Buffer).toString('base64'));
    if (documents.length > 0) all[name] = documents;
  }
  return all;
}

/** The lines of an export, changed, and packed again. */
const repacked = (file: Buffer, change: (lines: string[]) => string[]) =>
  gzipSync(change(gunzipSync(file).toString().split('\n')).join('\n'));

/** A source that gives most of the file and then nothing, until it is destroyed. */
function stalled(file: Buffer): Readable {
  const source = new Readable({ read: () => undefined });
  source.push(file.subarray(0, file.length - 100));
  return source;
}

describe('an export and its import', () => {
  it('carry every document to the byte, in every collection, with all indexes', async () => {
    await manyRecords(source.connection);
    const before = await bytesIn(source);
    expect(Object.keys(before).sort()).toEqual([...source.get(DatabaseService).collections].sort());

    await imported(await exported());

    expect(await bytesIn(target)).toEqual(before);
    for (const { schema, collection } of Object.values(target.connection.models)) {
      const made = (await collection.listIndexes().toArray()).map(({ name }) => String(name));
      expect(made.sort()).toEqual(['_id_', ...schema.indexes().map(([, { name }]) => name ?? '')].sort());
    }
  });

  it('keep every type of value as it is', async () => {
    const values = {
      whole: new Int32(7),
      double: new Double(7),
      fraction: 0.1,
      negativeZero: new Double(-0),
      large: Long.fromString('9007199254740993'),
      small: new Long(1),
      notANumber: Number.NaN,
      infinite: -Infinity,
      money: Decimal128.fromString('1.10'),
      instant: new Date('2027-05-01T10:00:00.123Z'),
      before: new Date(-1),
      id: new ObjectId(),
      nothing: null,
      yes: true,
      text: 'Zoë 🏈 \u0000 \u2028 \u2029 \r \n "quoted" \\ \ufeff',
      bytes: new Binary(randomBytes(20), 5),
      pattern: new mongo.BSON.BSONRegExp('^a', 'ix'),
      stamp: new Timestamp({ t: 1, i: 2 }),
      min: new mongo.BSON.MinKey(),
      list: [[], {}, [null, new Int32(1), new Double(1)]],
      '': 'a field without a name',
      'a.b': 'a dot',
    };
    const likeTypes = { $oid: '6650f1f77bcf86cd79943911' };
    const documents = [
      { _id: new ObjectId(), ...values },
      { _id: 'a text', location: { ...likeTypes, also: { $date: 'never' } } },
      { _id: new Int32(5), $bson: 'AAAA' },
      { _id: new Double(6), location: { $numberInt: '7' } },
    ];
    await source.connection.collection('schedules').insertMany(documents as never[]);
    const before = await bytesIn(source);
    expect(before['schedules']).toHaveLength(4);
    expect(before['schedules']).toContain(Buffer.from(serialize(documents[0] ?? {})).toString('base64'));

    await imported(await exported());

    expect(await bytesIn(target)).toEqual(before);
  });

  it('move an empty database, too', async () => {
    await imported(await exported());
    expect(await bytesIn(target)).toEqual({});
  });
});

describe('an export', () => {
  it('shows the database at one moment, whatever is written meanwhile', async () => {
    const [teams, players] = [source.connection.collection('teams'), source.connection.collection('players')];
    await teams.insertMany(Array.from({ length: 3_000 }, (_, index) => ({ index })));
    const over = new AbortController();
    const written = (async () => {
      for (let pair = 0; !over.signal.aborted; pair++) {
        await players.insertOne({ pair });
        await teams.insertOne({ pair });
      }
    })();
    try {
      for (let round = 0; round < 5; round++) {
        const lines = gunzipSync(await exported())
          .toString()
          .split('\n');
        const { collections } = JSON.parse(lines[0] ?? '') as { collections: { name: string; documents: number }[] };
        const count = (name: string) => collections.find((collection) => collection.name === name)?.documents ?? 0;
        // Each player is written right before their team.
        const ahead = count('players') - (count('teams') - 3_000);
        expect([0, 1]).toContain(ahead);
        const pairs = lines.filter((line) => line.includes('"pair"'));
        expect(pairs).toHaveLength(count('players') + count('teams') - 3_000);
      }
    } finally {
      over.abort();
      await written;
    }
  });

  it('refuses a collection that this version does not know by its name, and leaves it behind only where told', async () => {
    await source.connection.collection('invoices').insertOne({ amount: 1 });
    await source.connection.collection('teams').insertOne({ name: 'Hawks' });
    await expect(exported()).rejects.toThrow(/does not know: invoices\. Nothing was exported/);

    await imported(await exported(['invoices']));

    expect(Object.keys(await bytesIn(target))).toEqual(['teams']);
  });
});

describe('an import', () => {
  let file: Buffer;

  beforeEach(async () => {
    await source.connection
      .collection('teams')
      .insertMany(Array.from({ length: 2_500 }, (_, index) => ({ name: `Hawks ${index}` })));
    file = await exported();
  });

  const refused = async (given: Buffer, why: RegExp) => {
    await expect(imported(given)).rejects.toThrow(why);
    expect(await bytesIn(target)).toEqual({});
  };

  it('refuses a database that is not empty, says what it holds, and changes nothing of it', async () => {
    await target.connection.collection('users').insertOne({ email: 'dana@example.com' });
    await target.connection.collection('invoices').insertOne({ amount: 1 });
    const before = await bytesIn(target);
    await expect(imported(file)).rejects.toThrow('it holds invoices, users. Nothing was written');
    expect(await bytesIn(target)).toEqual(before);
  });

  it.each([0, 1, 10, 500, -1, -8, -40])('refuses a file that was cut at byte %d, and writes nothing', async (end) => {
    await refused(file.subarray(0, end), /damaged or not whole/);
  });

  it('refuses a file without its last lines, and one with lines too many, and writes nothing', async () => {
    await refused(
      repacked(file, (lines) => lines.slice(0, 1_000)),
      /damaged or not whole/,
    );
    await refused(
      repacked(file, (lines) => lines.slice(0, -2)),
      /damaged or not whole/,
    );
    await refused(
      repacked(file, (lines) => [...lines.slice(0, -1), '{}', '']),
      /damaged or not whole/,
    );
  });

  it('refuses a file in which one byte was changed, and writes nothing', async () => {
    const flipped = Buffer.from(file);
    const middle = Math.floor(file.length / 2);
    flipped[middle] = (flipped[middle] ?? 0) ^ 1;
    await refused(flipped, /damaged or not whole/);
    await refused(
      repacked(file, (lines) => lines.map((line) => line.replace('Hawks 77"', 'Hawks 78"'))),
      /its checksum/,
    );
  });

  it('refuses another version of the format, other collections, and what is no export, and writes nothing', async () => {
    const withHeader = (change: (header: string) => string) =>
      repacked(file, ([header = '', ...lines]) => [change(header), ...lines]);
    await refused(
      withHeader((header) => header.replace('"version":1', '"version":2')),
      /version 2 .* reads version 1 only/,
    );
    await refused(gzipSync('{"name":"Hawks"}\n'), /no export/);
    await refused(Buffer.from('not packed at all, but long enough'), /damaged or not whole/);
    // Its sum is right: a later version's export, say.
    await source.connection.collection('invoices').insertOne({ amount: 1 });
    await refused(await exported([], ['invoices']), /does not know: invoices/);
  });

  it('that was broken off keeps servers from the database, and is done anew by the next one', async () => {
    const half = stalled(file);
    let opened = 0;
    const first = imported(file, () => (++opened === 1 ? Readable.from([file]) : half));
    const [teams, marks] = ['teams', 'unfinishedImport'].map((name) => target.connection.collection(name));
    await eventually('half of it is there', async () => ((await teams?.countDocuments()) ?? 0) >= 1_000);

    await expect(target.get(DatabaseService).open()).rejects.toThrow(/unfinished import/);
    await expect(imported(file)).rejects.toThrow(/Another import writes to this database/);
    // As if it had been killed some time ago.
    await marks?.updateOne({}, { $set: { beatAt: new Date(0) } });
    expect(await imported(file)).toEqual(['An import was broken off before: what it left is removed first']);

    expect(await bytesIn(target)).toEqual(await bytesIn(source));
    await target.get(DatabaseService).open();
    half.destroy(new Error('killed'));
    await expect(first).rejects.toThrow('killed');
  });

  it('that failed leaves its mark, and can be done again at once', async () => {
    let opened = 0;
    const half = gzipSync(gunzipSync(file).subarray(0, 100_000));
    await expect(imported(file, () => Readable.from([++opened === 1 ? file : half]))).rejects.toThrow(/damaged/);
    expect(await UnfinishedImport.isOn(target.connection)).toBe(true);
    expect(await imported(file)).toHaveLength(1);
    expect(await bytesIn(target)).toEqual(await bytesIn(source));
  });

  it('of two at once is done once', async () => {
    const outcomes = await Promise.allSettled([imported(file), imported(file), imported(file)]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await bytesIn(target)).toEqual(await bytesIn(source));
  });
});
