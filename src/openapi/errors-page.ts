import { errorCatalogue, statusOf } from '../common/errors/error-catalogue.js';

/** The page that lists every error, made from the catalogue. */
export function errorsPage(): string {
  const rows = Object.values(errorCatalogue).map(
    (entry) => `| \`${entry.code}\` | ${statusOf(entry)} | ${entry.message} | ${entry.when} |`,
  );
  return `# Errors

<!-- Made by \`npm run openapi\` from src/common/errors/error-catalogue.ts; do not edit. -->

Every refusal has the same body:

\`\`\`json
{
  "error": 40001,
  "message": "name is required",
  "timestamp": "2027-05-01T10:00:00.000Z",
  "traceId": "5f6c1a52-7a3f-4b1e-9a53-2f2f6f0c9d11",
  "details": [{ "field": "name", "message": "name is required" }]
}
\`\`\`

The first three digits of \`error\` are the HTTP status. \`traceId\` equals the \`X-Request-Id\` header. \`details\` comes with
\`40001\` only: every problem, at most 50, a nested field written \`rows[3].stats.completions\`. \`message\` is for people and
may be more exact than the one below: decide by \`error\`.

| error | status | message | when |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}
