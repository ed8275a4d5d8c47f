import { unconditional } from '../../src/access/request-context.js';
import { newRecordId, toRecordId } from '../../src/database/record.js';
import { Transactions } from '../../src/database/transaction.js';
import { PlayersRepository } from '../../src/modules/players/players.repository.js';
import { TeamsRepository } from '../../src/modules/teams/teams.repository.js';
import type { TestApplication } from './application.js';
import { byId, oneById, page, query, type QueryCase } from './query-case.js';
import type { ManyRecords } from './many-records.js';

/** Queries of teams and players. */
export function rosterQueryCases(
  application: TestApplication,
  { scope, teamSeason, teams, players, now }: ManyRecords,
): QueryCase[] {
  const teamRecords = application.get(TeamsRepository);
  // It would rename games, with a bulk write, of which MongoDB explains none.
  teamRecords.onChange = () => Promise.resolve();
  const playerRecords = application.get(PlayersRepository);
  const transactions = application.get(Transactions);
  const team = String(teams[3]);
  const player = String(players[3 * 15 + 2]);
  const key = { scope: 'POST /x', keyHash: 'key 3', fingerprint: 'f' };
  const ofExternalId = { indexes: ['one_record_per_external_id'], documents: 1 };
  const searched = ['players_by_name', 'players_by_own_id'];
  const ofKey = { indexes: ['one_record_per_idem_key'], documents: 1 };
  const ofSeason = teams.filter((_team, index) => index % 4 === 0);
  const lately = { $gte: new Date(now.getTime() + 590 * 60_000) };
  return [
    query(
      'teams of an organization are listed',
      { indexes: ['teams_of_organization'], documents: 21, counted: 40 },
      () => teamRecords.findAll(scope, {}, page),
    ),
    query('teams of a season are listed', { indexes: ['teams_of_season'], documents: 10, counted: 10 }, () =>
      teamRecords.findAll(scope, { season: teamSeason }, page),
    ),
    query(
      'teams that are not archived are listed',
      { indexes: ['teams_of_organization'], documents: 21, counted: 40 },
      () => teamRecords.findAll(scope, { isArchived: false }, page),
    ),
    query(
      'teams that have changed lately are listed',
      { indexes: ['teams_by_change'], documents: 0, sorts: true },
      () => teamRecords.findAll(scope, { updatedAt: lately }, page),
    ),
    query('the IDs of the teams of a season are read', { indexes: ['teams_of_season'], documents: 10 }, () =>
      teamRecords.findIdsBySeason(scope, String(teamSeason)),
    ),
    query('the team with an external ID is listed', { ...ofExternalId, counted: 1, sorts: true }, () =>
      teamRecords.findAll(scope, { externalId: 'external-3' }, page),
    ),
    query('teams are looked up by external IDs', ofExternalId, () =>
      teamRecords.findByExternalIds(scope, ['external-3', 'none']),
    ),
    query('a team is searched by its ID', oneById, () => teamRecords.search(scope, 'name', team)),
    query('teams are searched by name', { indexes: ['teams_by_name'], documents: 10 }, () =>
      teamRecords.search(scope, 'name', 'none'),
    ),
    query('a search of players reads those of the organization', { indexes: searched, documents: 600, keys: 601 }, () =>
      playerRecords.search(scope, 'name', 'lee nobody@example.com'),
    ),
    query('a search of players ends when it has found enough', { indexes: searched, documents: 10 }, () =>
      playerRecords.search(scope, 'name', 'lee'),
    ),
    query('a team is looked up', oneById, () => teamRecords.findById(scope, team)),
    query('a team is changed if it has a revision', oneById, () =>
      teamRecords.updateById({ ...scope, ifMatch: [1] }, team, { name: 'Foxes' }),
    ),
    query('a team is changed by a bulk write', oneById, () =>
      teamRecords.writeAll(scope, [
        { id: toRecordId(team), revision: 1, changes: { name: 'Foxes' }, before: { name: 'Team' } },
      ]),
    ),
    query('the organizations with renamed teams are looked up', { indexes: ['renamed_teams'], documents: 2 }, () =>
      teamRecords.findRenaming(),
    ),
    query('the renamed teams of an organization are looked up', { indexes: ['renamed_teams'], documents: 1 }, () =>
      teamRecords.findRenamed(scope),
    ),
    query('the former names of a team are removed', oneById, () =>
      teamRecords.forgetNames(scope, toRecordId(team), now),
    ),
    query('a team is deleted', { indexes: [...byId, 'players_of_team', 'schedules_by_team_one'], documents: 15 }, () =>
      teamRecords.writeAll(scope, [{ id: newRecordId(), revision: 1, changes: { deletedAt: new Date() }, before: {} }]),
    ),
    query(
      'teams with records are looked up',
      { indexes: ['players_of_team', 'schedules_by_team_two'], documents: 100 },
      () => teamRecords.findUsed(scope, [toRecordId(team)]),
    ),
    query('names of teams are looked up', { indexes: byId, documents: 2 }, () =>
      teamRecords.findNames(scope, [team, String(teams[4])]),
    ),
    query('the idem-key of a team is looked up', ofKey, () => teamRecords.findFirstResponse(scope, key)),
    query('players of statistics rows are looked up', { indexes: ['_id_', 'players_by_own_id'], documents: 2 }, () =>
      transactions.run(unconditional, (session) =>
        playerRecords.findNamed(scope, [player, String(newRecordId())], ['external-3', 'none'], session),
      ),
    ),
    query('teams with players are looked up', { indexes: ['players_of_team'], documents: 15 }, () =>
      playerRecords.countOfTeams(scope, [toRecordId(team)]),
    ),
    query('external IDs of players are looked up', { indexes: ['_id_'], documents: 2 }, () =>
      playerRecords.findExternalIds(scope, players.slice(0, 2)),
    ),
    query('players of a team are listed', { indexes: ['players_of_team'], documents: 15 }, () =>
      playerRecords.findAll(scope, { teamId: team }, page),
    ),
    query(
      'players of an organization are listed',
      { indexes: ['players_of_organization'], documents: 21, keys: 21, counted: 600 },
      () => playerRecords.findAll(scope, {}, page),
    ),
    query(
      'players of a season are listed',
      { indexes: ['players_of_team'], documents: 21, keys: 40, counted: 150 },
      () => playerRecords.findAll(scope, { teamId: { $in: ofSeason } }, page),
    ),
    query(
      'players of any team with an external ID are listed',
      { indexes: ['players_by_own_id'], documents: 1, keys: 1, counted: 1 },
      () => playerRecords.findAll(scope, { externalId: 'external-47' }, page),
    ),
    query(
      'players that have changed lately are listed',
      { indexes: ['players_by_change'], documents: 10, counted: 10, sorts: true },
      () => playerRecords.findAll(scope, { updatedAt: lately }, page),
    ),
    query(
      'the player with an external ID is listed',
      { indexes: ['players_by_own_id'], documents: 1, counted: 1 },
      () => playerRecords.findAll(scope, { teamId: team, externalId: 'external-47' }, page),
    ),
    query('players of a team are looked up by external IDs', ofExternalId, () =>
      playerRecords.findByExternalIds(scope, ['external-47', 'none'], { teamId: team }),
    ),
    query('a player is looked up', oneById, () => playerRecords.findById(scope, player, { teamId: team })),
    query('players are locked for statistics', { indexes: byId, documents: 2 }, () =>
      transactions.run(unconditional, (session) =>
        playerRecords.lockForStatistics(scope, players.slice(0, 2), session),
      ),
    ),
    query('a player is changed', oneById, () =>
      playerRecords.updateById(scope, player, { name: 'Sam' }, { teamId: team }),
    ),
    query('a player is changed by a bulk write', oneById, () =>
      playerRecords.writeAll(scope, [
        { id: toRecordId(player), revision: 1, changes: { jerseyNumber: '8' }, before: { teamId: toRecordId(team) } },
      ]),
    ),
    query('a player is moved', oneById, () =>
      playerRecords.updateById(scope, player, { teamId: toRecordId(String(teams[4])) }, { teamId: team }),
    ),
    query('the idem-key of a player is looked up', ofKey, () => playerRecords.findFirstResponse(scope, key)),
    query('the owner of a player is looked up for an erasure', oneById, () => playerRecords.ownerOf(player, {})),
    query('a player is erased', oneById, () =>
      application
        .get(Transactions)
        .run(unconditional, (session) => playerRecords.erase(scope, String(players[6 * 15]), session)),
    ),
    query('the players of a deleted team are removed', { indexes: ['players_of_team'], documents: 15 }, () =>
      playerRecords.removeFromTeams(scope, [toRecordId(String(teams[7]))]),
    ),
    query('a player is deleted', oneById, () =>
      playerRecords.deleteById(scope, String(players[5 * 15]), { teamId: String(teams[5]) }),
    ),
  ];
}
