/** Validation and errors of the hand-written servers; the NestJS server validates fields by class-validator. */

const usualFieldSize = 50;
const isId = (value) => typeof value === 'string' && /^[0-9a-f]{24}$/i.test(value);
const isInstant = (value) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) && !Number.isNaN(Date.parse(value));
const isFlag = (value) => typeof value === 'boolean';
const isText = (most) => (value) => typeof value === 'string' && value.trim() !== '' && value.length <= most;
const isOneOf =
  (...values) =>
  (value) =>
    values.includes(value);

const changeable = {
  eventType: isOneOf('game', 'practice'),
  startDate: isInstant,
  endDate: isInstant,
  teamTwoName: isText(120),
  duration: isOneOf(20, 24, 30, 40, 48, 50, 60),
  matchupFormat: isOneOf('halves', 'quarters', 'runningClock'),
  teamFormat: isOneOf('4v4', '5v5', '6v6', '7v7', '8v8', '9v9', '11v11'),
  practiceNote: isText(2_000),
  isTestGame: isFlag,
  isScrimmage: isFlag,
  enableYardage: isFlag,
  allowZeroYardStart: isFlag,
  fieldSizeInYard: isOneOf(30, 40, 45, 50, 60, 64, 70, 80, 100),
  overtimeType: isOneOf('limited', 'unlimited'),
  overtimeDuration: (value) => typeof value === 'number' && value >= 1,
};
const teamId = (value) => typeof value === 'string' && value !== '';
const ofUpdate = { ...changeable, teamId, eventTitle: isText(255) };
const ofCreate = {
  ...changeable,
  teamId,
  teamTwoId: teamId,
  locationName: isText(200),
  placeId: isText(200),
  location: (value) => typeof value === 'string' || (typeof value === 'object' && value !== null),
  tournamentId: isText(100),
};
const ofPlayer = {
  name: isText(120),
  email: (value) => typeof value === 'string' && /^\S+@\S+$/.test(value),
  position: (value) => Array.isArray(value) && value.length <= 8 && value.every(isText(20)),
  jerseyNumber: isText(4),
  profilePicture: (value) => typeof value === 'string' && /^https?:\/\//.test(value),
};

/** An error; the first three digits of its code are the status. */
export class ApiError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
    this.status = Math.floor(code / 100);
  }
}

export const wrong = (message) => new ApiError(40001, message);
export const teamForbidden = () => new ApiError(40301, "The team does not belong to the API key's organization");
export const noSuchSchedule = () => new ApiError(40402, 'Schedule not found');

/** Returns the error envelope. */
export const envelopeOf = (error, traceId) => ({
  error: error.code ?? 50000,
  message: error.message,
  timestamp: new Date().toISOString(),
  traceId,
});

function assertFields(body, fields, required) {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ApiError(40000, 'The body must be an object');
  for (const [name, value] of Object.entries(body)) if (!fields[name]?.(value)) throw wrong(`${name} is not right`);
  for (const name of required) if (body[name] === undefined) throw wrong(`${name} is required`);
}

/** Parses an ID in a path. */
export function parseId(id) {
  if (!isId(id)) throw wrong('The id must have 24 hex digits');
  return id;
}

/**
 * Parses the API key of the `Authorization` header.
 * @returns {string}
 */
export function presentedKey(header) {
  const [scheme, key] = (header ?? '').split(' ');
  if (scheme.toLowerCase() !== 'bearer' || !key) throw invalidKey();
  return key;
}

export const invalidKey = () => new ApiError(40101, 'Invalid API key');

/** Parses the page and filter of a list. */
export function listQuery({ page = '1', limit = '20', filter }) {
  const wanted = { page: Number(page), limit: Number(limit), filter };
  const isWhole = (value, most) => Number.isInteger(value) && value >= 1 && value <= most;
  if (!isWhole(wanted.page, 1_000_000) || !isWhole(wanted.limit, 100)) throw wrong('page or limit is not right');
  if (filter !== undefined && filter !== 'live' && filter !== 'upcoming') throw wrong('filter is not right');
  return wanted;
}

/** Returns the fields of a new schedule with defaults; `names` are the team names by ID, for title and opponent. */
export function newSchedule(body, names) {
  const name = names.get(body.teamId);
  const opponent = body.teamTwoId && names.get(body.teamTwoId);
  if (name === undefined || (body.teamTwoId && opponent === undefined)) throw teamForbidden();
  const teamTwoName = body.teamTwoName ?? opponent;
  const { eventType = 'game', duration = 30, enableYardage = false } = body;
  const startDate = new Date(body.startDate);
  return {
    ...body,
    teamTwoName,
    eventType,
    status: 'scheduled',
    eventTitle: eventType === 'practice' ? `${name} practice` : `${name} vs ${teamTwoName}`,
    startDate,
    endDate: body.endDate ? new Date(body.endDate) : new Date(startDate.getTime() + duration * 60_000),
    duration,
    matchupFormat: body.matchupFormat ?? 'halves',
    teamFormat: body.teamFormat ?? '7v7',
    isTestGame: body.isTestGame ?? false,
    isScrimmage: body.isScrimmage ?? false,
    enableYardage,
    allowZeroYardStart: body.allowZeroYardStart ?? false,
    ...(enableYardage && { fieldSizeInYard: body.fieldSizeInYard ?? usualFieldSize }),
    overtimeType: body.overtimeType ?? 'unlimited',
  };
}

/** Rejects an invalid body of a schedule. */
export function assertValidSchedule(body) {
  assertOpponent(body);
  assertFields(body, ofCreate, ['teamId', 'startDate']);
  assertConsistent(body);
}

export function assertOpponent(body) {
  if (!body?.teamTwoId && !body?.teamTwoName)
    throw new ApiError(40002, 'Either teamTwoId or teamTwoName must be provided');
}

/** Rejects fields of a new or changed schedule that contradict each other. */
export function assertConsistent(body) {
  if (body.startDate && body.endDate && Date.parse(body.endDate) <= Date.parse(body.startDate))
    throw wrong('endDate must be after startDate');
  if (body.overtimeType === 'limited' && !body.overtimeDuration) throw wrong('overtimeDuration is required');
  if (body.teamId === body.teamTwoId && body.eventType !== 'practice' && !body.isScrimmage)
    throw wrong('teamTwoId must be another team');
}

/** Returns the changes of a schedule, without its team. */
export function scheduleChanges(body) {
  assertFields(body, ofUpdate, ['teamId']);
  assertConsistent(body);
  const { teamId: team, ...changes } = body;
  if (changes.startDate) changes.startDate = new Date(changes.startDate);
  if (changes.endDate) changes.endDate = new Date(changes.endDate);
  if (changes.enableYardage && !changes.fieldSizeInYard) throw wrong('fieldSizeInYard is required');
  return { team, changes };
}

/** Returns the fields of a new player. */
export function newPlayer(body) {
  assertFields(body, ofPlayer, ['name']);
  return { ...body, position: body.position ?? [] };
}
