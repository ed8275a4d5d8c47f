import { AuditTrail } from '../../src/audit/audit-trail.js';
import type { AdminContext } from '../../src/common/context/request-context.js';
import { newRecordId, toRecordId } from '../../src/database/record.js';
import { StandingClock, TestApplication } from '../support/application.js';

describe('what an admin is refused', () => {
  let application: TestApplication;

  beforeAll(async () => {
    application = await TestApplication.start(new StandingClock());
  });
  afterAll(() => application.stop());

  const anAdmin = (): AdminContext => ({
    user: { id: String(newRecordId()), name: 'Sam', email: 'sam@example.com', role: 'organizationAdmin' },
    requestId: 'request-0001',
    address: '203.0.113.7',
  });
  const kept = (admin: AdminContext) =>
    application.connection.collection('auditEvents').countDocuments({ 'actor._id': toRecordId(admin.user.id) });

  it('is kept 300 times in a minute and no more, so that nobody can fill the database; of others it is kept', async () => {
    const trail = application.get(AuditTrail);
    const [admin, other] = [anAdmin(), anAdmin()];
    const refuse = (who: AdminContext) => trail.recordRefusedAct(who, { action: 'createApiKey', error: 40303 });
    // Few at once: what waits too long for the database is given up.
    for (let i = 0; i < 31; i++) await Promise.all(Array.from({ length: 10 }, () => refuse(admin)));
    await refuse(other);
    expect([await kept(admin), await kept(other)]).toEqual([300, 1]);
  });
});
