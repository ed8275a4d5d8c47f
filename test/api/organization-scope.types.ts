import type { OrganizationScope } from '../../src/access/request-context.js';
import { OrganizationRepository } from '../../src/database/organization.repository.js';
import type { PlayersRepository } from '../../src/modules/players/players.repository.js';
import type { TeamRecord } from '../../src/modules/teams/team.schema.js';
import type { TeamsRepository } from '../../src/modules/teams/teams.repository.js';

/**
 * Compiled by `npm run check` and never run: each line below must be refused by the compiler, or `tsc` reports the
 * directive above it as unused. They show that a query that forgets its organization cannot be written.
 */
export abstract class ForgetfulRepository extends OrganizationRepository<TeamRecord> {
  withoutScope() {
    return [
      // @ts-expect-error -- a record cannot be looked for without a scope
      this.findOne({ name: 'Hawks' }, ['name']),
      // @ts-expect-error -- records cannot be listed without a scope
      this.find({ name: 'Hawks' }, ['name'], { _id: 1 }),
      // @ts-expect-error -- a page cannot be read without a scope
      this.findPage({}, ['name'], { page: 1, limit: 20 }),
      // @ts-expect-error -- a record cannot be changed without a scope
      this.updateOne({ name: 'Hawks' }, { $set: { name: 'Foxes' } }, ['name']),
      // @ts-expect-error -- a record cannot be stored without a scope
      this.insertOne({} as TeamRecord),
    ];
  }

  withTheScopeInTheWrongPlace(scope: OrganizationScope) {
    return [
      // @ts-expect-error -- the scope is no filter
      this.findOne({ name: 'Hawks' }, scope, ['name']),
      // @ts-expect-error -- a text is no scope
      this.findOne(scope.organization.id, { name: 'Hawks' }, ['name']),
      // @ts-expect-error -- a field that the record does not have cannot be read
      this.findOne(scope, {}, ['secret']),
    ];
  }
}

/** From outside, nothing but a repository's own methods can be reached. */
export function fromOutside(teams: TeamsRepository, players: PlayersRepository, scope: OrganizationScope) {
  return [
    // @ts-expect-error -- names are looked up within a scope
    teams.findNames(['6650f1f77bcf86cd79943941']),
    // @ts-expect-error -- a scope has an organization
    teams.findNames({}, ['6650f1f77bcf86cd79943941']),
    // @ts-expect-error -- the general query is the repository's own
    teams.findOne(scope, {}, ['name']),
    // @ts-expect-error -- the model is the repository's own
    teams.model,
    // @ts-expect-error -- a player is looked up within a scope
    players.findById('6650f1f77bcf86cd79943941', '6650f1f77bcf86cd79943951'),
  ];
}
