import type request from 'supertest';
import { createFullOrganization, knownExternalId } from '../support/full-organization.js';
import { createOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';
import { changesOf } from '../support/stored-events.js';

interface Found {
  teams: { _id: string; name: string }[];
  players: { _id: string; name: string; teamName: string; revision: number; changedBy: object }[];
  schedules: { _id: string; eventTitle: string }[];
}

const server = RunningServer.forTests();

const search = (organizationId: string, text: string): request.Test =>
  server.asSuperAdmin('get', `/organizations/${organizationId}/records`).query({ search: text });

async function find(organizationId: string, text: string): Promise<Found> {
  return ((await search(organizationId, text).expect(200)).body as { data: Found }).data;
}

describe('GET /organizations/{organizationId}/records', () => {
  it('finds the beginning of names, without case and accents, and no deleted record', async () => {
    const organization = await createOrganization(server);
    const team = await organization.team({ name: 'Águilas (A)' });
    const names = ['José Ortega', 'jose luna', 'Josefina Paz'];
    const players = await Promise.all(names.map((name) => organization.player(team._id, { name })));
    await organization.call('delete', `/teams/${team._id}/players/${players[2]?._id}`).expect(200);
    await organization.schedule(team._id, { teamTwoName: 'Foxes' });
    expect((await find(organization.id, 'JOSE')).players.map(({ name }) => name)).toEqual(['jose luna', 'José Ortega']);
    const { teams, schedules } = await find(organization.id, 'aguilas');
    expect([teams.length, schedules.length]).toEqual([1, 1]);
    expect(await find(organization.id, 'guilas')).toEqual({ teams: [], players: [], schedules: [] });
  });

  it('finds players by the beginning of each word of their names, and by email, with their teams', async () => {
    const organization = await createOrganization(server);
    const [one, other] = [await organization.team({ name: 'Hawks' }), await organization.team({ name: 'Foxes' })];
    await organization.player(one._id, { name: 'Mia Müller-Schmidt', email: 'Mia.M@Example.com' });
    await organization.player(other._id, { name: "Ann $name O'Schmitz" });
    const namesOf = async (text: string) => (await find(organization.id, text)).players.map(({ name }) => name);
    for (const text of ['schm', 'mia sch', 'Sch Mia', 'muller-s', 'mia.m@', 'MIA.M@EXAMPLE.COM', 'mia mia.m'])
      expect([text, await namesOf(text)]).toEqual([text, ['Mia Müller-Schmidt']]);
    for (const text of ["o'schm", 'O\u2019Schm', 'ann o`s'])
      expect([text, await namesOf(text)]).toEqual([text, ["Ann $name O'Schmitz"]]);
    for (const text of ['ia', 'example.com', 'Mia X', '$email'])
      expect([text, await namesOf(text)]).toEqual([text, []]);
    expect(await namesOf('$name')).toEqual(["Ann $name O'Schmitz"]);
    const both = (await find(organization.id, 'm')).players.concat((await find(organization.id, 'ann')).players);
    expect(both.map(({ teamName }) => teamName)).toEqual(['Hawks', 'Foxes']);
  });

  it('finds IDs and external IDs of this organization only, and records who looked at a player', async () => {
    const [own, other] = [await createFullOrganization(server, 'Own'), await createFullOrganization(server, 'Other')];
    const found = await find(own.organization.id, knownExternalId);
    expect(found.teams.map(({ _id }) => _id)).toEqual([own.team._id]);
    expect(found.schedules.map(({ _id }) => _id)).toEqual([own.schedule._id]);
    expect(found.players).toMatchObject([{ _id: own.player._id, revision: 1, changedBy: { type: 'key' } }]);
    expect((await find(own.organization.id, own.player._id.toUpperCase())).players).toEqual(found.players);
    expect(await find(own.organization.id, other.player._id)).toEqual({ teams: [], players: [], schedules: [] });
    const looks = (await changesOf(server, own.player._id)).map(({ action, actor, changes }) => ({
      action,
      actor,
      changes,
    }));
    const look = { action: 'readPlayer', actor: expect.objectContaining({ role: 'superAdmin' }) as object };
    expect(looks).toEqual([look, look]);
    expect(await changesOf(server, other.player._id)).toEqual([]);
  });

  it('returns at most ten by name', async () => {
    const organization = await createOrganization(server);
    for (let number = 0; number < 11; number++) await organization.team({ name: `Hawks ${number}` });
    expect((await find(organization.id, 'hawks')).teams).toHaveLength(10);
  });
});

describe('GET /organizations/{organizationId}/record-counts', () => {
  it('counts the records that are not deleted', async () => {
    const organization = await createOrganization(server);
    const team = await organization.team();
    await organization.player(team._id);
    const player = await organization.player(team._id);
    await organization.call('delete', `/teams/${team._id}/players/${player._id}`).expect(200);
    const path = `/organizations/${organization.id}/record-counts`;
    expect((await server.asSuperAdmin('get', path).expect(200)).body).toEqual({
      data: { teams: 1, players: 1, schedules: 0 },
    });
  });
});
