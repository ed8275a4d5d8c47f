/** The values that a schedule's fields may have, as the contract lists them. */
export const eventTypes = ['game', 'practice'] as const;
export const durations = [20, 24, 30, 40, 48, 50, 60] as const;
export const matchupFormats = ['halves', 'quarters', 'runningClock'] as const;
export const teamFormats = ['4v4', '5v5', '6v6', '7v7', '8v8', '9v9', '11v11'] as const;
export const fieldSizes = [30, 40, 45, 50, 60, 64, 70, 80, 100] as const;
export const overtimeTypes = ['limited', 'unlimited'] as const;

export type EventType = (typeof eventTypes)[number];
export type OvertimeType = (typeof overtimeTypes)[number];

/** The field size where yardage is enabled and none was sent. */
export const usualFieldSize = 50;
