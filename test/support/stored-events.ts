import { ObjectId } from 'mongodb';
import type { RunningServer } from './server.js';

/** A stored audit event. */
export type StoredEvent = Record<string, unknown> & { action: string };

/** Returns the recorded changes of an organization or a user, oldest first, without logins. */
export async function changesOf(server: RunningServer, targetId: string): Promise<StoredEvent[]> {
  const events = (await server.database()).collection('auditEvents');
  const found = await events
    .find({ 'target._id': new ObjectId(targetId), outcome: 'success', action: { $ne: 'login' } })
    .sort({ at: 1, _id: 1 })
    .toArray();
  return found as unknown as StoredEvent[];
}
