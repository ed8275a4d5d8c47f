/** Response schemas for Fastify's serializers: IDs and times are strings, unset fields are omitted. */

const text = { type: 'string' };
const number = { type: 'number' };
const flag = { type: 'boolean' };
const ofText = (...names) => Object.fromEntries(names.map((name) => [name, text]));
const stamps = { ...ofText('_id', 'organizationId', 'createdAt', 'updatedAt'), revision: number };
const object = (properties) => ({ type: 'object', properties });

export const team = object({
  ...stamps,
  ...ofText('name', 'season', 'footballType', 'ageGroup', 'gender', 'logoUrl'),
  isArchived: flag,
});

export const player = object({
  ...stamps,
  ...ofText('teamId', 'name', 'email', 'jerseyNumber', 'profilePicture'),
  position: { type: 'array', items: text },
});

export const schedule = object({
  ...stamps,
  ...ofText(
    'teamOneId',
    'teamId',
    'teamTwoId',
    'teamTwoName',
    'eventType',
    'status',
    'eventTitle',
    'startDate',
    'endDate',
  ),
  ...ofText('matchupFormat', 'teamFormat', 'overtimeType', 'locationName', 'placeId', 'practiceNote', 'tournamentId'),
  ...{ duration: number, fieldSizeInYard: number, overtimeDuration: number, location: {} },
  ...{ isTestGame: flag, isScrimmage: flag, enableYardage: flag, allowZeroYardStart: flag },
});

const counters = { type: 'object', additionalProperties: { type: ['number', 'null'] } };
export const statisticsRow = object({
  ...ofText('scheduleId', 'category', 'teamId', 'teamName', 'playerId', 'playerName', 'jerseyNumber', 'updatedAt'),
  ...{ stats: counters, derived: counters },
});

export const listOf = (items) => object({ data: { type: 'array', items }, total: { type: 'integer' } });
