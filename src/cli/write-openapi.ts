import { writeFileSync } from 'node:fs';
import { buildDocuments, filesOf } from './openapi/documents.js';

/** `npm run openapi`: writes the OpenAPI documents and docs/errors.md, which are committed. */
for (const { file, text } of filesOf(await buildDocuments())) writeFileSync(file, text);
