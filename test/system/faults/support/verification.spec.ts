import { MongoClient, ObjectId } from 'mongodb';
import { testDatabaseUri } from '../../../support/test-database.js';
import { type Create, type CreatedKind, Ledger, type Trail } from './ledger.js';
import { verify } from './verification.js';

describe('the verification of a ledger', () => {
  const organizationId = new ObjectId();
  const partner = { organizationId: String(organizationId), apiKey: '', seasonId: '', teamIds: [] };
  let client: MongoClient;
  let ledger: Ledger;

  beforeAll(async () => {
    client = await new MongoClient(testDatabaseUri()).connect();
  });
  beforeEach(() => {
    ledger = new Ledger();
  });
  afterAll(async () => {
    await client.db().dropDatabase();
    await client.close();
  });

  /** Records a create and stores it a number of times; acknowledged by default. */
  const create = async (kind: CreatedKind, times: number, acknowledged = true): Promise<string> => {
    const marker = ledger.marker();
    const field = kind === 'schedules' ? 'teamTwoName' : 'name';
    const stored = { organizationId, [field]: marker, eventTitle: 'Hawks vs Foxes', deletedAt: null };
    let id = new ObjectId();
    for (let index = 0; index < times; index++)
      id = (
        await client
          .db()
          .collection(kind)
          .insertOne({ ...stored })
      ).insertedId;
    const sending: Create['sending'] = { purpose: 'new team', method: 'POST', path: '/teams' };
    ledger.creates.push({
      ...{ kind, marker, sending, attempts: 1 },
      ...(acknowledged && { acknowledged: { id: String(id), text: '' } }),
    });
    return String(id);
  };
  const trail = async (state: Partial<Trail>, title: string, deletedAt: Date | null) => {
    const id = await create('schedules', 1);
    const _id = new ObjectId(id);
    await client
      .db()
      .collection('schedules')
      .updateOne({ _id }, { $set: { eventTitle: title, deletedAt } });
    ledger.trails.push({ id, lastSent: 5, lastAcknowledged: 4, deletion: 'none', ...state });
  };
  const found = async () => {
    const { lost, duplicated } = await verify(ledger, client.db(), partner);
    return { lost, duplicated };
  };

  it('finds nothing if all is correct', async () => {
    await create('teams', 1);
    await create('players', 0, false);
    await create('players', 1, false);
    await trail({}, 'change 4', null);
    await trail({}, 'change 5', null);
    await trail({ deletion: 'acknowledged' }, 'change 4', new Date());
    await trail({ deletion: 'asked' }, 'change 4', new Date());
    expect(await found()).toEqual({ lost: 0, duplicated: 0 });
  });

  it.each<[string, () => Promise<unknown>, { lost: number; duplicated: number }]>([
    ['an acknowledged create that is missing', () => create('players', 0), { lost: 1, duplicated: 0 }],
    ['a duplicate create', () => create('teams', 2), { lost: 0, duplicated: 1 }],
    ['an unacknowledged create, twice', () => create('schedules', 2, false), { lost: 0, duplicated: 1 }],
    ['an acknowledged change that was undone', () => trail({}, 'change 3', null), { lost: 1, duplicated: 0 }],
    ['a change that was not sent', () => trail({}, 'change 6', null), { lost: 1, duplicated: 0 }],
    [
      'an acknowledged deletion that was undone',
      () => trail({ deletion: 'acknowledged' }, 'change 4', null),
      { lost: 1, duplicated: 0 },
    ],
  ])('finds %s', async (_what, arrange, expected) => {
    await arrange();
    expect(await found()).toEqual(expected);
  });
});
