import type { AuditAction } from '../api/generated/types.gen';
import { texts } from '../texts';

/** The label of an action that is missing in the texts does not compile. */
export const actionLabels: Record<AuditAction, string> = texts.audit.actionLabels;

export const auditActions = Object.keys(actionLabels) as AuditAction[];

/** Returns the label of an action, or the action itself if the console does not know it yet. */
export const labelOf = (action: string): string => (actionLabels as Partial<Record<string, string>>)[action] ?? action;
