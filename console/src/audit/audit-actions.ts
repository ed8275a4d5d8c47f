import type { AuditAction } from '../api/generated/types.gen';
import { texts } from '../texts';

/** Fails to compile if the label of an action is missing in the texts. */
export const actionLabels: Record<AuditAction, string> = texts.audit.actions;

export const auditActions = Object.keys(actionLabels) as AuditAction[];
