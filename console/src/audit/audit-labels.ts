import type { AuditAction, AuditEventResponse } from '../api/generated/types.gen';

export const actionLabels: Readonly<Record<AuditAction, string>> = {
  createApiKey: 'Create key',
  updateApiKey: 'Edit key',
  rotateApiKey: 'Rotate key',
  endGracePeriod: 'End grace period',
  revokeApiKey: 'Revoke key',
  createOrganization: 'Create organization',
  updateOrganization: 'Edit organization',
  eraseOrganization: 'Erase organization',
  resetSandbox: 'Reset sandbox',
  createOrganizationAdmin: 'Create admin',
  createSuperAdmin: 'Create super admin',
  updateUser: 'Edit user',
  disableUser: 'Disable user',
  changePassword: 'Change password',
  resetPassword: 'Reset password',
  createPasswordReset: 'Create password link',
  createSecondFactor: 'Start second factor',
  confirmSecondFactor: 'Confirm second factor',
  deleteSecondFactor: 'Remove second factor',
  resetSecondFactor: 'Reset second factor',
  login: 'Sign in',
  logout: 'Sign out',
  createSeason: 'Create season',
  updateSeason: 'Edit season',
  replacePlayerStatistics: 'Replace statistics',
  erasePlayer: 'Erase player',
  readPlayer: 'View player',
  exportPlayer: 'Export player',
  createCalendarLink: 'Create calendar link',
  deleteCalendarLink: 'Delete calendar link',
  createWebhookEndpoint: 'Create webhook endpoint',
  updateWebhookEndpoint: 'Edit webhook endpoint',
  deleteWebhookEndpoint: 'Delete webhook endpoint',
  rotateWebhookSecret: 'Rotate webhook secret',
  testWebhookEndpoint: 'Ping webhook endpoint',
  retryWebhookDelivery: 'Resend webhook',
  recoverWebhookEndpoint: 'Recover webhooks',
};

/** Returns the label of an event, or its action itself if this console is older than the server. */
export function labelOf({ action, changes }: Pick<AuditEventResponse, 'action' | 'changes'>): string {
  const label = (actionLabels as Partial<Record<string, string>>)[action] ?? action;
  const isEnabled = changes?.['isEnabled'] ?? (changes?.['disabled'] === undefined ? undefined : !changes['disabled']);
  if (isEnabled === undefined || !label.startsWith('Edit ')) return label;
  return label.replace('Edit', isEnabled === true ? 'Enable' : 'Disable');
}

export const targetLabels = {
  apiKey: 'Key',
  organization: 'Organization',
  user: 'User',
  season: 'Season',
  schedule: 'Schedule',
  player: 'Player',
  webhookEndpoint: 'Webhook endpoint',
  calendarLink: 'Calendar link',
};

/** Returns the kind of a record and its name at the time of the event, or its ID if it has none. */
export const recordOf = ({ kind, name, _id }: NonNullable<AuditEventResponse['target']>): string =>
  `${targetLabels[kind]} ${name ?? _id}`;

/** Returns who acted: an email, the beginning of a key, or what else acted. */
export const actorOf = ({ email, keyPrefix, kind }: AuditEventResponse['actor']): string =>
  email ?? (keyPrefix === undefined ? actorLabels[kind] : `${keyPrefix}…`);

export const actorLabels = {
  user: 'User',
  apiKey: 'Key',
  cli: 'Command line',
  server: 'Server',
  anonymous: 'Unauthenticated',
};

export const outcomeLabels = { success: 'Succeeded', failure: 'Rejected' };
