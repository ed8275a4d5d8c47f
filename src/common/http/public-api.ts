/** What the path of every public route begins with, without the first slash. */
export const publicPrefix = 'v1/public-api';

/** The controllers of the public API, each with a rate limit of its own. */
export const publicControllers = ['seasons', 'teams', 'players', 'schedules', 'player-statistics'] as const;
export type PublicController = (typeof publicControllers)[number];
