import { actorOf } from '../audit/audit-labels';
import { listAuditEvents } from './generated/sdk.gen';

type Values = Readonly<Record<string, unknown>>;

interface Form<T, Body> {
  id: string;
  /** The record when the form was opened. */
  shown: T;
  body: Body;
  read: () => Promise<{ data: T }>;
  send: (request: { body: Body; headers: { 'If-Match': string } }) => Promise<unknown>;
  /** Opens the form with the present values. */
  reopen: (present: T) => void;
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/**
 * Saves the fields that a form has changed.
 * @throws Error if someone else has changed one of them since the form was opened
 */
export async function saveChanges<T extends { revision: number }, Body extends object>(form: Form<T, Body>) {
  const { data: present } = await form.read();
  const [before, now] = [form.shown as Values, present as Values];
  const changes = Object.entries(form.body).filter(([name, to]) => to !== undefined && !isSame(to, before[name]));
  if (changes.every(([name]) => isSame(now[name], before[name])))
    return form.send({ body: Object.fromEntries(changes) as Body, headers: { 'If-Match': `"${present.revision}"` } });
  const [event] = (await listAuditEvents({ query: { targetId: form.id, limit: 1 } })).data;
  const message = `Changed by ${event ? actorOf(event.actor) : 'someone'} meanwhile. Your entry is kept.`;
  throw Object.assign(new Error(message), {
    remedy: { label: 'Load the present values', onClick: () => form.reopen(present) },
  });
}
