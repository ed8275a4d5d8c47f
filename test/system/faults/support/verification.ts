import type { Db, Document } from 'mongodb';
import { Types } from 'mongoose';
import { PartnerClient } from './exchange.js';
import type { Create, CreatedKind, Ledger, Trail } from './ledger.js';
import type { Partner } from './partner.js';
import { numberOf } from './workload.js';

/** Comparison of the database with a ledger. */
export interface Verdict {
  /** Acknowledged but missing or unchanged. */
  readonly lost: number;
  /** Stored more than once. */
  readonly duplicated: number;
  /** Descriptions of all violations. */
  readonly complaints: readonly string[];
}

/** The field with the marker. */
const markedFields: Record<CreatedKind, string> = { teams: 'name', players: 'name', schedules: 'teamTwoName' };
const sampleOfReplays = 15;

/** Compares the acknowledged writes with the database. */
export async function verify(ledger: Ledger, database: Db, partner: Partner): Promise<Verdict> {
  const organizationId = new Types.ObjectId(partner.organizationId);
  const complaints: string[] = [];
  let lost = 0;
  let duplicated = 0;
  for (const kind of Object.keys(markedFields) as CreatedKind[]) {
    const field = markedFields[kind];
    const marked = { organizationId, [field]: { $regex: `^${ledger.run}-` } };
    const stored = await database
      .collection(kind)
      .find(marked)
      .project<Record<string, unknown>>({ [field]: 1 })
      .toArray();
    const ids = new Map<string, string[]>();
    for (const record of stored) {
      const marker = String(record[field]);
      ids.set(marker, [...(ids.get(marker) ?? []), String(record['_id'])]);
    }
    for (const create of ledger.creates.filter((other) => other.kind === kind)) {
      const found = ids.get(create.marker) ?? [];
      if (found.length > 1) duplicated++;
      if (create.acknowledged !== undefined && !found.includes(create.acknowledged.id)) lost++;
      const fault = faultOfCreate(create, found);
      if (fault !== undefined) complaints.push(fault);
    }
  }
  for (const trail of ledger.trails) {
    const _id = new Types.ObjectId(trail.id);
    const record = await database.collection('schedules').findOne({ _id, organizationId });
    const fault = faultOfTrail(trail, record);
    if (fault === undefined) continue;
    lost++;
    complaints.push(fault);
  }
  return { lost, duplicated, complaints };
}

function faultOfCreate({ kind, marker, attempts, acknowledged }: Create, found: readonly string[]): string | undefined {
  const what = `${kind} ${marker}, sent ${attempts} times, there ${found.length} times`;
  if (found.length > 1) return `duplicated: ${what}`;
  if (acknowledged === undefined) return undefined;
  return found.includes(acknowledged.id) ? undefined : `lost: ${what}, acknowledged as ${acknowledged.id}`;
}

function faultOfTrail(trail: Trail, record: Document | null): string | undefined {
  if (record === null) return `lost: schedule ${trail.id}`;
  const number = numberOf(String(record['eventTitle']));
  const { lastSent, lastAcknowledged } = trail;
  if (number < lastAcknowledged || number > lastSent)
    return `lost: schedule ${trail.id} has change ${number}; acknowledged ${lastAcknowledged}, sent ${lastSent}`;
  const deleted = record['deletedAt'] !== null;
  if (trail.deletion === 'acknowledged' && !deleted) return `lost: the deletion of schedule ${trail.id}`;
  return trail.deletion === 'none' && deleted ? `schedule ${trail.id} was deleted without a request` : undefined;
}

/** Repeats some acknowledged creates and expects each first response, byte for byte. */
export async function verifyReplays(ledger: Ledger, bases: readonly string[], partner: Partner): Promise<string[]> {
  const client = new PartnerClient(bases, partner.apiKey);
  const keyed = ledger.creates.filter(({ acknowledged, sending }) => acknowledged && sending.idemKey !== undefined);
  // Those with several attempts first, because their result was uncertain.
  const sample = keyed.sort((one, other) => other.attempts - one.attempts).slice(0, sampleOfReplays);
  const complaints: string[] = [];
  for (const { marker, sending, acknowledged } of sample) {
    const again = await client.sendUntilServed(sending);
    if (again.status === 201 && again.text === acknowledged?.text) continue;
    complaints.push(`${marker} repeated: ${again.status} ${again.text}; first: ${acknowledged?.text}`);
  }
  client.close();
  return complaints;
}
