import type { AuditAction } from '../api/generated/types.gen';

export const actionLabels: Readonly<Record<AuditAction, string>> = {
  createApiKey: 'Create key',
  updateApiKey: 'Edit key',
  rotateApiKey: 'Rotate key',
  endGracePeriod: 'End grace period',
  revokeApiKey: 'Revoke key',
  createOrganization: 'Create organization',
  updateOrganization: 'Edit organization',
  resetSandbox: 'Reset sandbox',
  createOrganizationAdmin: 'Create admin',
  createSuperAdmin: 'Create super admin',
  updateUser: 'Edit user',
  disableUser: 'Disable user',
  changePassword: 'Change password',
  resetPassword: 'Reset password',
  login: 'Sign in',
  logout: 'Sign out',
  createSeason: 'Create season',
  updateSeason: 'Edit season',
  replacePlayerStatistics: 'Replace statistics',
  erasePlayer: 'Erase player',
  createCalendarLink: 'Create calendar link',
  deleteCalendarLink: 'Delete calendar link',
  createWebhookEndpoint: 'Create webhook endpoint',
  updateWebhookEndpoint: 'Edit webhook endpoint',
  deleteWebhookEndpoint: 'Delete webhook endpoint',
  rotateWebhookSecret: 'Rotate webhook secret',
};

/** Returns the label of an action, or the action itself if this console is older than the server. */
export const labelOf = (action: string): string => (actionLabels as Partial<Record<string, string>>)[action] ?? action;

export const actorLabels = {
  user: 'User',
  apiKey: 'Key',
  cli: 'Command line',
  server: 'Server',
  anonymous: 'Unauthenticated',
};

export const outcomeLabels = { success: 'Succeeded', failure: 'Rejected' };
