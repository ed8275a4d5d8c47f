import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { publicOperations } from '../support/operations.js';

const root = path.resolve(__dirname, '../..');

describe('the public document', () => {
  const text = readFileSync(path.join(root, 'openapi/public.json'), 'utf8');

  it.each(publicOperations)('lists exactly the errors of $id', ({ errors, row }) => {
    const common = [40000, 40001, 40101, 40305, 40306, 41300, 41500, 42901, 42902, 50000, 50301, 50302];
    expect(errors).toEqual([...common, ...(row.errors ?? [])].sort());
  });

  it('contains nothing of the admin API', () => {
    expect(
      Object.keys((JSON.parse(text) as OpenAPIObject).paths).filter((route) => !route.startsWith('/v1/public-api/')),
    ).toEqual([]);
    expect(text).not.toMatch(/secretHash|superAdmin|adminToken|password/i);
  });

  it('contains no internal field of a record', () => {
    expect(text).not.toMatch(/"(deletedAt|__v|idempotency|createdBy|statisticsWrittenAt)"/);
  });
});
