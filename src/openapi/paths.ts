import { join } from 'node:path';
import { packageRoot } from '../common/package-root.js';

/** The committed documents. */
export const publicDocumentFile = join(packageRoot, 'openapi', 'public.json');
export const adminDocumentFile = join(packageRoot, 'openapi', 'admin.json');
export const errorsPageFile = join(packageRoot, 'docs', 'errors.md');
