import type { mongo } from 'mongoose';

/** Stages that give games without a season that of their owning team. */
export const seasonOfOwner = [
  { $lookup: { from: 'teams', localField: 'teamOneId', foreignField: '_id', as: 'owner' } },
  { $unwind: '$owner' },
  { $project: { season: '$owner.season' } },
  { $merge: { into: 'schedules', whenMatched: [{ $set: { season: { $ifNull: ['$season', '$$new.season'] } } }] } },
];

/** Stores the season of games from before games had one: the present season of their team. */
export async function storeSeasonsOfGames(db: mongo.Db): Promise<void> {
  await db
    .collection('schedules')
    .aggregate([{ $match: { season: null } }, ...seasonOfOwner])
    .toArray();
}
