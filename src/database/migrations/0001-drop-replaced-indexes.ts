import type { mongo } from 'mongoose';

/** Indexes that no query of this release uses. */
const replaced = {
  schedules: [
    ...['schedules_by_start', 'schedules_by_slot', 'schedules_without_slot'],
    ...['schedules_of_team_one', 'schedules_of_team_two', 'decided_games_of_team_one'],
    ...['schedules_by_status', 'decided_games_of_season'],
  ],
  webhookEndpoints: ['all_endpoints'],
  users: ['users_by_role'],
  players: ['players_by_external_id'],
};

/**
 * Drops replaced indexes. Servers of 1.0.0 use `schedules_by_start_and_status` and `schedules_by_team_one` as well, and
 * need `all_endpoints` only for the list of all endpoints, which few admins read, and `users_by_role` only at start.
 */
export async function dropReplacedIndexes(db: mongo.Db): Promise<void> {
  for (const [collection, names] of Object.entries(replaced)) {
    for (const { name } of await db.collection(collection).indexes()) {
      if (name !== undefined && names.includes(name)) await db.collection(collection).dropIndex(name);
    }
  }
}
