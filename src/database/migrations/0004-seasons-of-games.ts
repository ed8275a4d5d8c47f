import type { mongo } from 'mongoose';

/** Stores the season of games from before games had one: the present season of their owning team. */
export async function storeSeasonsOfGames(db: mongo.Db): Promise<void> {
  const stages = [
    { $match: { season: null } },
    { $lookup: { from: 'teams', localField: 'teamOneId', foreignField: '_id', as: 'owner' } },
    { $unwind: '$owner' },
    { $project: { season: '$owner.season' } },
    { $merge: { into: 'schedules', whenMatched: [{ $set: { season: { $ifNull: ['$season', '$$new.season'] } } }] } },
  ];
  await db.collection('schedules').aggregate(stages).toArray();
}
