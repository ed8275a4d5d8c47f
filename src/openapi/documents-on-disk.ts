import type { Documents } from './build-documents.js';
import { errorsPage } from './errors-page.js';
import { adminDocumentFile, errorsPageFile, publicDocumentFile } from './paths.js';

/** What is generated and committed: each file with the text it must have. */
export function filesOf({ publicDocument, adminDocument }: Documents): { file: string; text: string }[] {
  return [
    { file: publicDocumentFile, text: `${JSON.stringify(publicDocument, null, 2)}\n` },
    { file: adminDocumentFile, text: `${JSON.stringify(adminDocument, null, 2)}\n` },
    { file: errorsPageFile, text: errorsPage() },
  ];
}
