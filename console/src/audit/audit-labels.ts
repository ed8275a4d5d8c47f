import { AuditAction, AuditActorKind, type AuditEventResponse, AuditTargetKind } from '../api/generated/types.gen';
import { labelsOf, toWords } from '../components/facts';

/** Where the words of an action are not those of the console. */
const ownLabels: Readonly<Record<string, string>> = {
  createPasswordReset: 'Create password link',
  login: 'Sign in',
  logout: 'Sign out',
  readPlayer: 'View player',
};

const toggled = 'Edit, enable or disable ';

/** Returns the label of an action, also of one that this console does not know because it is older than the server. */
function actionLabel(action: string): string {
  const words = action.replace(/^update(?=Organization|User|Webhook)/, toggled).replace(/^update/, 'edit');
  return ownLabels[action] ?? toWords(words.replace('Api', ''));
}

/** The labels of all actions that the server records. */
export const actionLabels = labelsOf(AuditAction, actionLabel);

/** Returns the label of an event. */
export function labelOf({ action, changes }: Pick<AuditEventResponse, 'action' | 'changes'>): string {
  const isEnabled = changes?.['isEnabled'] ?? (changes?.['disabled'] === undefined ? undefined : !changes['disabled']);
  const verb = isEnabled === undefined ? 'Edit ' : isEnabled === true ? 'Enable ' : 'Disable ';
  return actionLabel(action).replace(toggled, verb);
}

export const targetLabels = { ...labelsOf(AuditTargetKind), apiKey: 'Key' };

/** Returns the kind of a record and its name at the time of the event, or its ID if it has none. */
export const recordOf = ({ kind, name, _id }: NonNullable<AuditEventResponse['target']>): string =>
  `${targetLabels[kind]} ${name ?? _id}`;

/** Returns who acted: an email, the beginning of a key, or what else acted. */
export const actorOf = ({ email, keyPrefix, kind }: AuditEventResponse['actor']): string =>
  email ?? (keyPrefix === undefined ? actorLabels[kind] : `${keyPrefix}…`);

const ownActors = { apiKey: 'Key', cli: 'Command line', anonymous: 'Unauthenticated' };
export const actorLabels = { ...labelsOf(AuditActorKind), ...ownActors };

export const outcomeLabels = { success: 'Succeeded', failure: 'Rejected' };
