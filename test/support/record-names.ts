import { randomUUID } from 'node:crypto';
import { type FullOrganization, knownExternalId } from './full-organization.js';
import type { Input } from './documented-requests.js';
import type { Operation } from './operations.js';

type RecordKind = 'team' | 'player' | 'schedule' | 'season' | 'endpoint' | 'delivery' | 'calendarLink';
type OwnRecord = Exclude<keyof FullOrganization, 'organization'>;

/** The records of an organization by the names of inputs. */
const recordsByName: Readonly<Record<string, { kind: RecordKind; own: OwnRecord }>> = {
  teamId: { kind: 'team', own: 'team' },
  teamTwoId: { kind: 'team', own: 'opponent' },
  teamExternalId: { kind: 'team', own: 'team' },
  teamTwoExternalId: { kind: 'team', own: 'opponent' },
  playerId: { kind: 'player', own: 'player' },
  scheduleId: { kind: 'schedule', own: 'schedule' },
  season: { kind: 'season', own: 'season' },
  seasonId: { kind: 'season', own: 'season' },
  id: { kind: 'endpoint', own: 'endpoint' },
  deliveryId: { kind: 'delivery', own: 'delivery' },
  linkId: { kind: 'calendarLink', own: 'calendarLink' },
};

/** IDs of partners and of map services, which name no record of another organization. */
const otherIds = ['placeId', 'tournamentId', 'externalId'];

/** Whose record an ID names: `unknown` is a well-formed ID without a record. */
export type IdKind = 'own' | 'foreign' | 'unknown' | 'malformed';

/** The expected error of each kind. In a body or query, any string that is not a team of the organization is forbidden. */
const errorsByKind: Record<RecordKind, Record<Exclude<IdKind, 'own'>, number>> = {
  team: { foreign: 40301, unknown: 40301, malformed: 40301 },
  season: { foreign: 40302, unknown: 40404, malformed: 40001 },
  schedule: { foreign: 40302, unknown: 40402, malformed: 40001 },
  player: { foreign: 40403, unknown: 40403, malformed: 40001 },
  endpoint: { foreign: 40408, unknown: 40408, malformed: 40001 },
  delivery: { foreign: 40409, unknown: 40409, malformed: 40001 },
  calendarLink: { foreign: 40410, unknown: 40410, malformed: 40001 },
};

/** Whether an input names a record of an organization. A filter by season only selects equal values. */
export function namesRecord({ name, place }: Input): boolean {
  return name in recordsByName && !(name === 'season' && place === 'query');
}

/** Whether an input seems to name a record and is in neither list. */
export function isUndeclaredId({ name, schema }: Input): boolean {
  if (name in recordsByName || otherIds.includes(name)) return false;
  const looksLikeOne = [schema['example']].flat().some((one) => /^[0-9a-f]{24}$/i.test(String(one)));
  return /(^_?id|Ids?|season)$/i.test(name) || String(schema['pattern']).includes('{24}') || looksLikeOne;
}

/** Whether an input is the partner's own ID of a record. */
export const isOwnId = ({ name }: Input): boolean => name in recordsByName && name.endsWith('ExternalId');

/** The ID of this organization's record for an input, if it names one. */
export function idFor(input: Input, of: FullOrganization): string | undefined {
  const named = recordsByName[input.name];
  const record = named && of[named.own];
  return isOwnId(input) ? String(record?.['externalId']) : record?._id;
}

/** Values of filters, which have no example because the API reference would send it. */
const filterValues: Readonly<Record<string, string>> = { ageGroup: 'open', gender: 'coed', sort: 'completions' };

/**
 * Returns a value that the document cannot show: an external ID of a stored record, or a new one for a create; a
 * precondition that holds.
 */
export function valueFor({ name, field, place }: Input, { success }: Operation): unknown {
  // Counters that contradict each other are tested elsewhere.
  if (field.includes('.stats.')) return 0;
  // Nothing is delivered meanwhile.
  if (name === 'events') return ['team.deleted'];
  if (name === 'idem-key') return randomUUID();
  if (name === 'If-Match') return '*';
  if (name === 'If-None-Match') return '"0"';
  if (place === 'query' && name in filterValues) return filterValues[name];
  if (name !== 'externalId') return undefined;
  return success === 201 && place === 'body' ? randomUUID() : knownExternalId;
}

/** Whether an input is the player of a statistics row, which must play in the game: any other ID is an invalid value. */
export function isRowPlayer({ name, place }: Pick<Input, 'name' | 'place'>): boolean {
  return place === 'body' && name === 'playerId';
}

/** The expected error of a request with these IDs: for the format first, then the team, then the record. */
export function expectedErrorOf(named: readonly { input: Input; whose: IdKind }[]): number {
  const errors = named.flatMap(({ input, whose }) => {
    const record = recordsByName[input.name];
    const isMalformed = whose === 'malformed' && (input.place === 'path' || isRowPlayer(input));
    if (isMalformed) return 40001;
    return record === undefined || whose === 'own' || isRowPlayer(input) ? [] : [errorsByKind[record.kind][whose]];
  });
  const [first] = [
    ...errors.filter((error) => error === 40001),
    ...errors.filter((error) => error === 40301),
    ...errors,
    // Rows are compared with the game, after everything else.
    ...named.flatMap(({ input, whose }) => (isRowPlayer(input) && whose !== 'own' ? 40001 : [])),
  ];
  if (first === undefined) throw new Error('Nothing is wrong with this request');
  return first;
}
