import { callWithToken, loginBothRoles } from '../support/admins.js';
import { expectError } from '../support/expectations.js';
import { createGame, qbRow, type SentRow } from '../support/game.js';
import type { Stored } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();

describe('permission to write the statistics of a game', () => {
  it('is granted to super admins, and to the creator and the admins of its organization', async () => {
    const game = await createGame(server);
    const { creator, admin } = await loginBothRoles(game.organization);
    const rows = [qbRow(game.homePlayer)];
    await game.put(rows).expect(200);
    await callWithToken(server, creator, 'put', game.adminPath).send({ rows }).expect(200);
    await callWithToken(server, admin, 'put', game.adminPath).send({ rows }).expect(200);
  });

  it('is denied to other organizations, integration keys and requests without a token', async () => {
    const game = await createGame(server);
    const before = await game.write([qbRow(game.homePlayer, 3)]);
    const outsider = await loginBothRoles((await createGame(server)).organization);
    const put = (token: string) => callWithToken(server, token, 'put', game.adminPath).send({ rows: [] });

    expectError(await put(outsider.creator), 40303);
    expectError(await put(outsider.admin), 40303);
    expectError(await put(game.organization.key.apiKey), 40102);
    expectError(await server.call('put', game.adminPath).send({ rows: [] }), 40102);

    expect(await game.read()).toEqual(before);
  });
});

describe('the game of a PUT', () => {
  const put = (id: string) => server.asSuperAdmin('put', `/schedules/${id}/player-statistics`).send({ rows: [] });

  it('returns 404 if it is unknown or deleted', async () => {
    const game = await createGame(server);
    expectError(await put('f'.repeat(24)), 40402);
    await game.organization.call('delete', `/schedules/${game.schedule._id}?teamId=${game.home._id}`).expect(200);
    expectError(await put(game.schedule._id), 40402);
  });

  it('is rejected if it is a practice, even without rows', async () => {
    const game = await createGame(server, { eventType: 'practice' });
    expectError(await game.put([qbRow(game.homePlayer)]), 40001);
    expectError(await game.put([]), 40001);
    expect(await game.read()).toEqual([]);
  });

  it('keeps its updatedAt: statistics do not change the schedule', async () => {
    const game = await createGame(server);
    await game.write([qbRow(game.homePlayer)]);
    const response = await game.organization.call('get', `/schedules/${game.schedule._id}`).expect(200);
    expect((response.body as { data: Stored }).data).toEqual(game.schedule);
  });
});

describe('PUT /schedules/{scheduleId}/player-statistics', () => {
  it('replaces all rows of the game', async () => {
    const game = await createGame(server);
    await game.write([qbRow(game.homePlayer, 1), { ...qbRow(game.homePlayer), category: 'punt', stats: { punts: 1 } }]);
    await game.write([qbRow(game.awayPlayer, 2)]);
    const rows = await game.read();
    expect(rows.map(({ playerId, stats }) => [playerId, stats['completions']])).toEqual([[game.awayPlayer._id, 2]]);
  });

  it('removes all rows if none are sent, and does not affect other games', async () => {
    const game = await createGame(server);
    const other = await game.organization.schedule(game.home._id, { teamTwoId: game.away._id });
    const otherPath = `/schedules/${other._id}/player-statistics`;
    await server
      .asSuperAdmin('put', otherPath)
      .send({ rows: [qbRow(game.homePlayer, 9)] })
      .expect(200);
    await game.write([qbRow(game.homePlayer, 1)]);
    expect((await game.put([]).expect(200)).body).toEqual({ data: [], total: 0 });
    expect(await game.read()).toEqual([]);
    const response = await game.organization.call('get', otherPath).expect(200);
    expect((response.body as { data: SentRow[] }).data.map(({ stats }) => stats['completions'])).toEqual([9]);
  });
});

describe('name, number and team in a row', () => {
  it('stay as at the game after the player was renamed and renumbered, even after the next PUT', async () => {
    const game = await createGame(server);
    const { homePlayer, home, organization } = game;
    await game.write([qbRow(homePlayer)]);
    const change = { name: 'Jordan Smith', jerseyNumber: '12' };
    await organization.call('patch', `/teams/${home._id}/players/${homePlayer._id}`).send(change).expect(200);

    const atGame = { playerName: 'Jordan Lee', jerseyNumber: '7', teamId: home._id, teamName: 'Hawks' };
    expect(await game.read()).toEqual([expect.objectContaining(atGame)]);
    await game.write([qbRow(homePlayer, 5), { ...qbRow(homePlayer), category: 'punt', stats: {} }]);
    expect(await game.read()).toEqual([expect.objectContaining(atGame), expect.objectContaining(atGame)]);
  });

  it('are the current ones for a player without a row', async () => {
    const game = await createGame(server);
    const { homePlayer, home, organization } = game;
    await game.write([qbRow(game.awayPlayer)]);
    await organization
      .call('patch', `/teams/${home._id}/players/${homePlayer._id}`)
      .send({ jerseyNumber: null })
      .expect(200);
    const row = (await game.write([qbRow(homePlayer)]))[0];
    expect(row).toMatchObject({ playerName: 'Jordan Lee', teamName: 'Hawks' });
    expect(row).not.toHaveProperty('jerseyNumber');
  });

  it('stay after the player was deleted, who can still get rows of other categories in the next PUT', async () => {
    const game = await createGame(server);
    const { awayPlayer, away, organization } = game;
    await game.write([qbRow(awayPlayer, 1)]);
    await organization.call('delete', `/teams/${away._id}/players/${awayPlayer._id}`).expect(200);

    const atGame = { playerName: 'Casey Kim', jerseyNumber: '00', teamId: away._id, teamName: 'Falcons' };
    expect(await game.read()).toEqual([expect.objectContaining(atGame)]);
    await game.write([qbRow(awayPlayer, 2), { ...qbRow(awayPlayer), category: 'return', stats: {} }]);
    expect(await game.read()).toEqual([expect.objectContaining(atGame), expect.objectContaining(atGame)]);
  });
});

describe('two concurrent PUTs', () => {
  it('both succeed, and leave the rows of exactly one', async () => {
    const game = await createGame(server);
    const third = await game.organization.player(game.home._id, { name: 'Third' });
    for (let round = 1; round <= 12; round++) {
      const sent = [
        [qbRow(game.homePlayer, round), qbRow(third, round)],
        [qbRow(game.homePlayer, 100 + round), qbRow(game.awayPlayer, 100 + round)],
      ];
      const written = await Promise.all(sent.map((rows) => game.write(rows)));

      written.forEach((rows, index) => {
        const completions = index === 0 ? round : 100 + round;
        expect(rows.map(({ stats }) => stats['completions'])).toEqual([completions, completions]);
      });
      expect(written).toContainEqual(await game.read());
    }
  });
});
