import type { Tenant } from '../../src/access/request-context.js';
import { OrganizationRepository } from '../../src/database/organization.repository.js';
import type { PlayersRepository } from '../../src/modules/players/players.repository.js';
import type { TeamRecord } from '../../src/modules/teams/team.schema.js';
import type { TeamsRepository } from '../../src/modules/teams/teams.repository.js';

/**
 * Compiled by `npm run check` and never run: each line below must be refused by the compiler, or `tsc` reports the
 * directive above it as unused. They show that a repository without a model of its own cannot forget the organization; the
 * commands of the others are checked by organization-commands.spec.ts.
 */
export abstract class ForgetfulRepository extends OrganizationRepository<TeamRecord> {
  withoutTenant() {
    return [
      // @ts-expect-error -- a record cannot be looked for without a tenant
      this.findOne({ name: 'Hawks' }, ['name']),
      // @ts-expect-error -- records cannot be listed without a tenant
      this.find({ name: 'Hawks' }, ['name'], { _id: 1 }),
      // @ts-expect-error -- a page cannot be read without a tenant
      this.findPage({}, ['name'], { page: 1, limit: 20 }),
      // @ts-expect-error -- a record cannot be changed without a tenant
      this.updateOne({ name: 'Hawks' }, { $set: { name: 'Foxes' } }, ['name']),
      // @ts-expect-error -- a record cannot be stored without a tenant
      this.insertOne({} as TeamRecord),
      // @ts-expect-error -- a part of a list cannot be read without a tenant
      this.findPart({}, ['name'], { page: 1, limit: 20 }),
      // @ts-expect-error -- records cannot be aggregated without a tenant
      this.aggregate({ name: 'Hawks' }, []),
      // @ts-expect-error -- records cannot be counted without a tenant
      this.count({ name: 'Hawks' }),
      // @ts-expect-error -- records cannot be written without a tenant
      this.writeMany([]),
      // @ts-expect-error -- all records cannot be updated without a tenant
      this.updateMany({}, []),
    ];
  }
}

/** From outside, nothing but a repository's own methods can be reached. */
export function fromOutside(teams: TeamsRepository, players: PlayersRepository, tenant: Tenant) {
  return [
    // @ts-expect-error -- the general query is the repository's own
    teams.findOne(tenant, {}, ['name']),
    // @ts-expect-error -- the model is the repository's own
    teams.model,
    // @ts-expect-error -- a text is no tenant
    players.findById('6650f1f77bcf86cd79943941', '6650f1f77bcf86cd79943951'),
  ];
}
