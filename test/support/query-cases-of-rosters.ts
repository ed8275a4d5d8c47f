import { newRecordId, toRecordId } from '../../src/database/record.js';
import { PlayersRepository } from '../../src/modules/players/players.repository.js';
import { TeamsRepository } from '../../src/modules/teams/teams.repository.js';
import type { TestApplication } from './application.js';
import { byId, oneById, page, query, transactionsOf, type QueryCase } from './query-case.js';
import type { ManyRecords } from './many-records.js';

/** Queries of teams and players. */
export function rosterQueryCases(
  application: TestApplication,
  { tenant, teamSeason, teams, players, now }: ManyRecords,
): QueryCase[] {
  const teamRecords = application.get(TeamsRepository);
  // It would rename games, with a bulk write, of which MongoDB explains none.
  teamRecords.onRename = () => Promise.resolve();
  const playerRecords = application.get(PlayersRepository);
  const within = transactionsOf(application);
  const team = String(teams[3]);
  const player = String(players[3 * 15 + 2]);
  const key = { route: 'POST /x', keyHash: 'key 3', fingerprint: 'f' };
  const ofExternalId = { indexes: ['one_record_per_external_id'], documents: 1 };
  const searched = ['players_by_name', 'players_by_own_id'];
  const ofKey = { indexes: ['one_record_per_idem_key'], documents: 1 };
  const ofSeason = teams.filter((_team, index) => index % 4 === 0);
  const lately = { $gte: new Date(now.getTime() + 590 * 60_000) };
  return [
    query({ indexes: ['teams_of_organization'], documents: 21, counted: 40 }, () =>
      teamRecords.findAll(tenant, {}, page),
    ),
    query({ indexes: ['teams_of_season'], documents: 10, counted: 10 }, () =>
      teamRecords.findAll(tenant, { season: teamSeason }, page),
    ),
    query({ indexes: ['teams_of_organization'], documents: 21, counted: 40 }, () =>
      teamRecords.findAll(tenant, { isArchived: false }, page),
    ),
    query({ indexes: ['teams_by_change'], documents: 0, sorts: true }, () =>
      teamRecords.findAll(tenant, { updatedAt: lately }, page),
    ),
    query({ indexes: ['teams_of_season'], documents: 10 }, () =>
      teamRecords.findIdsBySeason(tenant, String(teamSeason)),
    ),
    query({ ...ofExternalId, counted: 1, sorts: true }, () =>
      teamRecords.findAll(tenant, { externalId: 'external-3' }, page),
    ),
    query(ofExternalId, () => teamRecords.findByExternalIds(tenant, ['external-3', 'none'])),
    query(oneById, () => teamRecords.search(tenant, 'name', team)),
    query({ indexes: ['teams_by_name'], documents: 10 }, () => teamRecords.search(tenant, 'name', 'none')),
    query({ indexes: searched, documents: 600, keys: 601 }, () =>
      playerRecords.search(tenant, 'name', 'lee nobody@example.com'),
    ),
    query({ indexes: searched, documents: 10 }, () => playerRecords.search(tenant, 'name', 'lee')),
    query(oneById, () => teamRecords.findById(tenant, team)),
    query(oneById, () => teamRecords.updateById({ ...tenant, ifMatch: [1] }, team, { name: 'Foxes' })),
    query(oneById, () =>
      teamRecords.writeAll(tenant, [{ id: toRecordId(team), revision: 1, changes: { name: 'Foxes' } }]),
    ),
    query({ indexes: ['renamed_teams'], documents: 2 }, () => teamRecords.findRenaming()),
    query({ indexes: ['renamed_teams'], documents: 1 }, () => teamRecords.findRenamed(tenant)),
    query(oneById, () => teamRecords.forgetNames(tenant, toRecordId(team), now)),
    query({ indexes: [...byId, 'players_of_team', 'schedules_by_team_one'], documents: 15 }, () =>
      teamRecords.writeAll(tenant, [{ id: newRecordId(), revision: 1, changes: { deletedAt: new Date() } }]),
    ),
    query({ indexes: ['players_of_team', 'schedules_by_team_two'], documents: 100 }, () =>
      teamRecords.findUsed(tenant, [toRecordId(team)]),
    ),
    query({ indexes: byId, documents: 2 }, () => teamRecords.findNames(tenant, [team, String(teams[4])])),
    query(ofExternalId, () => teamRecords.findNamesByExternalIds(tenant, ['external-3', 'none'])),
    query(ofKey, () => teamRecords.findFirstResponse(tenant, key)),
    within({ indexes: ['_id_', 'players_by_own_id'], documents: 2 }, (session) =>
      playerRecords.findNamed(tenant, [player, String(newRecordId())], ['external-3', 'none'], session),
    ),
    query({ indexes: ['players_of_team'], documents: 15 }, () =>
      playerRecords.countOfTeams(tenant, [toRecordId(team)]),
    ),
    query({ indexes: ['_id_'], documents: 2 }, () => playerRecords.findExternalIds(tenant, players.slice(0, 2))),
    query({ indexes: ['players_of_team'], documents: 15 }, () => playerRecords.findAll(tenant, { teamId: team }, page)),
    query({ indexes: ['players_of_organization'], documents: 21, keys: 21, counted: 600 }, () =>
      playerRecords.findAll(tenant, {}, page),
    ),
    query({ indexes: ['players_of_team'], documents: 21, keys: 40, counted: 150 }, () =>
      playerRecords.findAll(tenant, { teamId: { $in: ofSeason } }, page),
    ),
    query({ indexes: ['players_by_own_id'], documents: 1, keys: 1, counted: 1 }, () =>
      playerRecords.findAll(tenant, { externalId: 'external-47' }, page),
    ),
    query({ indexes: ['players_by_change'], documents: 10, counted: 10, sorts: true }, () =>
      playerRecords.findAll(tenant, { updatedAt: lately }, page),
    ),
    query({ indexes: ['players_by_own_id'], documents: 1, counted: 1 }, () =>
      playerRecords.findAll(tenant, { teamId: team, externalId: 'external-47' }, page),
    ),
    query(ofExternalId, () => playerRecords.findByExternalIds(tenant, ['external-47', 'none'], { teamId: team })),
    query({ ...ofExternalId, documents: 2 }, () =>
      playerRecords.findOnRosters(tenant, [
        { teamId: toRecordId(team), externalId: 'external-47' },
        { teamId: toRecordId(String(teams[4])), externalId: 'external-62' },
      ]),
    ),
    query({ indexes: ['players_by_own_id'], documents: 1 }, () =>
      playerRecords.findAnywhere(tenant, ['external-47', 'none']),
    ),
    query(oneById, () => playerRecords.findById(tenant, player, { teamId: team })),
    within({ indexes: byId, documents: 2 }, (session) =>
      playerRecords.lockForStatistics(tenant, players.slice(0, 2), session),
    ),
    query(oneById, () => playerRecords.updateById(tenant, player, { name: 'Sam' }, { teamId: team })),
    query(oneById, () =>
      playerRecords.writeAll(tenant, [{ id: toRecordId(player), revision: 1, changes: { jerseyNumber: '8' } }]),
    ),
    query(oneById, () =>
      playerRecords.updateById(tenant, player, { teamId: toRecordId(String(teams[4])) }, { teamId: team }),
    ),
    query(ofKey, () => playerRecords.findFirstResponse(tenant, key)),
    query(oneById, () => playerRecords.ownerOf(player, {})),
    within(oneById, (session) => playerRecords.erase(tenant, String(players[6 * 15]), session)),
    query(oneById, () => playerRecords.deleteById(tenant, String(players[5 * 15]), { teamId: String(teams[5]) })),
  ];
}
