import { join } from 'node:path';

/** The committed documents, found beside the folder that this program was built into. */
const folder = join(import.meta.dirname, '..', '..', 'openapi');

export const publicDocumentFile = join(folder, 'public.json');
export const adminDocumentFile = join(folder, 'admin.json');
export const errorsPageFile = join(import.meta.dirname, '..', '..', 'docs', 'errors.md');
