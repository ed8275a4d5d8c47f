import { unconditional } from '../../src/common/context/request-context.js';
import { toRecordId } from '../../src/database/record.js';
import { Transactions } from '../../src/database/transaction.js';
import { PlayersRepository } from '../../src/modules/players/players.repository.js';
import { TeamsRepository } from '../../src/modules/teams/teams.repository.js';
import type { TestApplication } from './application.js';
import { byId, type QueryCase, page } from './query-case.js';
import type { ManyRecords } from './many-records.js';

/** Queries of teams and players. */
export function rosterQueryCases(
  application: TestApplication,
  { scope, teamSeason, teams, players }: ManyRecords,
): QueryCase[] {
  const teamRecords = application.get(TeamsRepository);
  const playerRecords = application.get(PlayersRepository);
  const team = String(teams[3]);
  const player = String(players[3 * 15 + 2]);
  const key = { scope: 'POST /x', keyHash: 'key 3', fingerprint: 'f' };
  const ofExternalId = { indexes: ['one_record_per_external_id'], documents: 1 };
  const ofKey = { indexes: ['one_record_per_idem_key'], documents: 1 };
  const [teamOne, ...mates] = players.slice(0, 10).map(String);
  return [
    {
      name: 'teams of an organization are listed',
      call: () => teamRecords.findAll(scope, {}, page),
      indexes: ['teams_of_organization'],
      documents: 21,
      counted: 40,
    },
    {
      name: 'teams of a season are listed',
      call: () => teamRecords.findAll(scope, { season: teamSeason }, page),
      indexes: ['teams_of_season'],
      documents: 10,
      counted: 10,
    },
    {
      name: 'teams that are not archived are listed',
      call: () => teamRecords.findAll(scope, { isArchived: false }, page),
      indexes: ['teams_of_organization'],
      documents: 21,
      counted: 40,
    },
    {
      name: 'the team with an external ID is listed',
      call: () => teamRecords.findAll(scope, { externalId: 'external-3' }, page),
      ...ofExternalId,
      counted: 1,
      sorts: true,
    },
    {
      name: 'teams are looked up by external IDs',
      call: () => teamRecords.findByExternalIds(scope, ['external-3', 'none']),
      ...ofExternalId,
    },
    { name: 'a team is looked up', call: () => teamRecords.findById(scope, team), indexes: byId, documents: 1 },
    {
      name: 'a team is changed if it has a revision',
      call: () => teamRecords.updateById({ ...scope, ifMatch: [1] }, team, { name: 'Foxes' }),
      indexes: byId,
      documents: 1,
    },
    {
      name: 'a team is changed by a bulk write',
      call: () => teamRecords.writeAll(scope, [{ id: toRecordId(team), revision: 1, changes: { name: 'Foxes' } }]),
      indexes: byId,
      documents: 1,
    },
    {
      name: 'names of teams are looked up',
      call: () => teamRecords.findNames(scope, [team, String(teams[4])]),
      indexes: byId,
      documents: 2,
    },
    { name: 'the idem-key of a team is looked up', call: () => teamRecords.findFirstResponse(scope, key), ...ofKey },
    {
      name: 'players of a team are listed',
      call: () => playerRecords.findAll(scope, { teamId: team }, page),
      indexes: ['players_of_team'],
      documents: 15,
    },
    {
      name: 'the player with an external ID is listed',
      call: () => playerRecords.findAll(scope, { teamId: team, externalId: 'external-47' }, page),
      ...ofExternalId,
      counted: 1,
      sorts: true,
    },
    {
      name: 'players of a team are looked up by external IDs',
      call: () => playerRecords.findByExternalIds(scope, ['external-47', 'none'], { teamId: team }),
      ...ofExternalId,
    },
    {
      name: 'a player is looked up',
      call: () => playerRecords.findById(scope, player, { teamId: team }),
      indexes: byId,
      documents: 1,
    },
    {
      name: 'roster entries are looked up',
      call: () => playerRecords.findRosterEntries(scope, [String(teams[0])], [teamOne ?? '', ...mates]),
      indexes: byId,
      documents: 15,
    },
    {
      name: 'a player is changed',
      call: () => playerRecords.updateById(scope, player, { name: 'Sam' }, { teamId: team }),
      indexes: byId,
      documents: 1,
    },
    {
      name: 'the idem-key of a player is looked up',
      call: () => playerRecords.findFirstResponse(scope, key),
      ...ofKey,
    },
    {
      name: 'the owner of a player is looked up for an erasure',
      call: () => playerRecords.ownerOf(player, {}),
      indexes: byId,
      documents: 1,
    },
    {
      name: 'a player is erased',
      call: () =>
        application
          .get(Transactions)
          .run(unconditional, (session) => playerRecords.erase(scope, String(players[6 * 15]), session)),
      indexes: byId,
      documents: 1,
    },
    {
      name: 'a player is deleted',
      call: () => playerRecords.deleteById(scope, String(players[5 * 15]), { teamId: String(teams[5]) }),
      indexes: byId,
      documents: 1,
    },
  ];
}
