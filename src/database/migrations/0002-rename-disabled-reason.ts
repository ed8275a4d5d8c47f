import type { mongo } from 'mongoose';

/**
 * Renames the reason of endpoints that a super admin disabled before `admin` was its name. Without it their organizations
 * could enable them again.
 */
export async function renameDisabledReason(db: mongo.Db): Promise<void> {
  const endpoints = db.collection('webhookEndpoints');
  await endpoints.updateMany({ disabledReason: 'operator' }, { $set: { disabledReason: 'admin' } });
}
