import { ObjectId } from 'mongodb';
import type { ErasedPlayerResponse } from '../../src/modules/erasure/erasure.dto.js';
import { createOrganizationAdmin, updateOrganization } from '../support/admins.js';
import { expectError, expectFieldError } from '../support/expectations.js';
import { createGame, qbRow, type TestGame } from '../support/game.js';
import { unknownId } from '../support/http-routes.js';
import { createKey, createOrganization, type TestOrganization } from '../support/organization.js';
import { eventuallyPasses } from '../support/processes.js';
import { RunningServer, superAdmin } from '../support/server.js';
import { changesOf } from '../support/stored-events.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const server = RunningServer.forTests();

const actionsOn = async (id: string) => (await changesOf(server, id)).map(({ action }) => action);

describe('players', () => {
  let game: TestGame;
  let path: string;

  beforeEach(async () => {
    game = await createGame(server);
    await game.write([qbRow(game.homePlayer, 3)]);
    path = `/players/${game.homePlayer._id}`;
  });

  const exportPlayer = async (query: object = {}) => {
    const response = await server.asSuperAdmin('get', `${path}/export`).query(query).expect(200);
    return response.body as { auditEvents: unknown[] };
  };

  it('are exported with everything that is stored about them, also when they are deleted', async () => {
    const { _id, teamId } = game.homePlayer;
    const receiver = await WebhookReceiver.start();
    const endpoint = { url: receiver.url, events: ['player.deleted'] };
    await game.organization.call('post', '/webhook-endpoints').send(endpoint).expect(201);
    await game.organization.call('delete', `/teams/${String(teamId)}/players/${_id}`).expect(200);
    await receiver.waitFor(1);
    await receiver.stop();
    await eventuallyPasses(async () => {
      expect(await exportPlayer()).toEqual({
        player: expect.objectContaining({
          ...{ _id, name: 'Jordan Lee', organizationId: game.organization.id },
          deletedAt: expect.any(String) as string,
          idempotency: expect.objectContaining({ answer: expect.stringContaining('Jordan Lee') as string }) as object,
        }) as object,
        statistics: [expect.objectContaining({ playerId: _id, playerName: 'Jordan Lee' })],
        change: expect.objectContaining({ _id: `player.${_id}`, expiresAt: expect.any(String) as string }) as object,
        history: ['created', 'deleted'].map((action) => expect.objectContaining({ action }) as object),
        deliveries: [
          expect.objectContaining({ event: 'player.deleted', record: `player.${_id}`, status: 'succeeded' }) as object,
        ],
        auditEvents: expect.any(Array) as unknown[],
      });
    });
    expect((await exportPlayer()).auditEvents[0]).toMatchObject({
      action: 'exportPlayer',
      target: { kind: 'player', _id },
    });
  });

  it('are erased, and exported after that only with the ID of the organization', async () => {
    const { organization } = game;
    const erased = await server.asSuperAdmin('post', `${path}/erase`).expect(200);
    expect(erased.body).toEqual({ message: 'Player erased', mentions: { total: 0, data: [] } });
    expect((await game.read()).map(({ playerName }) => playerName)).toEqual(['Deleted player']);
    expect(await actionsOn(game.homePlayer._id)).toEqual(['erasePlayer']);
    expectError(await server.asSuperAdmin('get', `${path}/export`), 40403);

    const query = { organizationId: organization.id };
    // The history of the creation can still be on its way, and goes with the event of the erasure.
    await eventuallyPasses(async () => expect(JSON.stringify(await exportPlayer(query))).not.toContain('Jordan Lee'));
    expectError(await server.asSuperAdmin('post', `${path}/erase`).send(query), 40403);
  });

  it('are erased, and the texts of the organization that still contain the name are listed without it', async () => {
    const { organization, home, schedule } = game;
    const note = { eventType: 'practice', practiceNote: 'Bring cones.\nAsk JORDAN LEE (7).' };
    const practice = await organization.schedule(home._id, note);
    const team = await organization.team({ name: "Jordan Lee's team" });
    const texts = { eventTitle: 'Jordan Lee Cup', locationName: 'Field of jordan lee', teamTwoName: 'Jordan Leeds' };
    const titled = await organization.schedule(home._id);
    await organization
      .call('patch', `/schedules/${titled._id}`)
      .send({ teamId: home._id, ...texts })
      .expect(200);
    await organization.call('delete', `/schedules/${titled._id}?teamId=${home._id}`).expect(200);
    const other = await createOrganization(server);
    await other.team({ name: 'Jordan Lee' });

    const { body } = (await server.asSuperAdmin('post', `${path}/erase`).expect(200)) as { body: ErasedPlayerResponse };
    const ofTitled = Object.keys(texts).map((field) => ({ kind: 'schedule', id: titled._id, field }));
    const expected = [
      { kind: 'team', id: team._id, field: 'name' },
      { kind: 'schedule', id: practice._id, field: 'practiceNote' },
      ...ofTitled,
    ];
    expect(body.mentions?.data).toEqual(expect.arrayContaining(expected));
    expect(body.mentions).toMatchObject({ total: expected.length, data: { length: expected.length } });
    expect(JSON.stringify(body)).not.toMatch(/jordan/i);
    expect(JSON.stringify(body)).not.toContain(schedule._id);
  });

  it('are erased, and of many texts that still contain the name, 20 are listed and all are counted', async () => {
    const rows = Array.from({ length: 21 }, (_, index) => ({
      ...{ _id: new ObjectId(), organizationId: new ObjectId(game.organization.id) },
      practiceNote: `Jordan Lee, practice ${index}`,
    }));
    await (await server.database()).collection('schedules').insertMany(rows);
    const { body } = (await server.asSuperAdmin('post', `${path}/erase`).expect(200)) as { body: ErasedPlayerResponse };
    expect(body.mentions).toMatchObject({ total: 21, data: { length: 20 } });
  });

  it('are unknown with the ID of another organization', async () => {
    const organizationId = (await createOrganization(server)).id;
    expectError(await server.asSuperAdmin('get', `${path}/export`).query({ organizationId }), 40403);
    expectError(await server.asSuperAdmin('post', `${path}/erase`).send({ organizationId }), 40403);
  });
});

describe('POST /organizations/{organizationId}/erase', () => {
  let organization: TestOrganization;

  beforeEach(async () => {
    organization = await createOrganization(server, 'Hawks Club');
  });

  const erase = (name = 'Hawks Club', id = organization.id) =>
    server.asSuperAdmin('post', `/organizations/${id}/erase`).send({ name });
  /** Pretends that the erasure began earlier, because it lasts at least 30 s. */
  const backdate = async () => {
    const filter = { _id: new ObjectId(organization.id) };
    const update = { $set: { erasingSince: new Date(Date.now() - 120_000) } };
    await (await server.database()).collection('organizations').updateOne(filter, update);
  };

  it('erases a disabled organization, which cannot be changed meanwhile, with one audit event', async () => {
    const admin = await createOrganizationAdmin(organization);
    await server.login(admin.email, admin.password);
    const team = await organization.team({ season: (await organization.season())._id });
    const link = organization.call('post', `/teams/${team._id}/calendar-links`);
    await link.send({ description: 'Parents of Jordan' }).expect(201);
    await updateOrganization(server, organization.id, { disabled: true }).expect(200);
    const started = (await erase().expect(202)).body as object;
    expect(started).toMatchObject({ _id: organization.id, erasingSince: expect.any(String) as string });
    expect((await erase().expect(202)).body).toMatchObject(started);
    expectError(await updateOrganization(server, organization.id, { disabled: false }), 40406);
    await expect(createOrganizationAdmin(organization)).rejects.toThrow('expected 201');
    await expect(createKey(server, organization.id)).rejects.toThrow('40406');
    await expect(organization.season()).rejects.toThrow('40406');

    const read = async () => {
      const response = await server.asSuperAdmin('get', `/organizations/${organization.id}`);
      return (response.body as { data: { erasure?: { done: number; total: number } } }).data.erasure;
    };
    // The key, the creator and the other admin, and the row of the feed and the counts of requests, if there are some.
    await eventuallyPasses(async () => {
      const { done = 0, total = 0 } = (await read()) ?? {};
      expect(total).toBeGreaterThanOrEqual(3);
      expect(done).toBeGreaterThanOrEqual(total);
    });
    await backdate();
    const gone = async () => server.asSuperAdmin('get', `/organizations/${organization.id}`);
    await eventuallyPasses(async () => void expectError(await gone(), 40406));
    const events = (await server.database()).collection('auditEvents');
    const text = JSON.stringify(await events.find({ organizationId: new ObjectId(organization.id) }).toArray());
    expect(text).toContain('"name":"Erased user"');
    expect(text).toContain('"email":"Erased user","role":"organizationAdmin"');
    expect(text).toContain(superAdmin.email);
    expect(text).toContain('"description":"Erased"');
    expect(text).not.toContain(admin.email);
    expect(text).not.toContain(organization.creator.email);
    const actions = await actionsOn(organization.id);
    expect(actions).toEqual(['createOrganization', 'updateOrganization', 'eraseOrganization']);
    expectError(await erase(), 40406);
  });

  it('rejects another name, an enabled organization and an unknown one', async () => {
    expectFieldError(await erase('Hawks'), 'name');
    expectError(await erase(), 40910);
    expectError(await erase('Hawks Club', unknownId), 40406);
    expect(await actionsOn(organization.id)).toEqual(['createOrganization']);
  });
});
