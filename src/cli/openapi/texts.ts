import { errorCatalogue, statusOf } from '../../common/errors/error-catalogue.js';

/** What the public document says before its routes. */
export const publicDescription = `
Create and synchronise flag-football data from a registration platform, an ERP or a CRM: seasons, teams, players and
schedules (games and practices), and read the player statistics of a game, live or played.

**Keys.** Every request carries an organization's API key: \`Authorization: Bearer <key>\`. The key is bound to one
organization, which is applied to everything; its id is never sent. Data of other organizations cannot be reached.
A key can be limited to scopes, such as \`teams:read\` or \`players:*\` (every scope of players), and to addresses. Every
operation says which scope it needs; without it the answer is 403 (\`40305\`), from another address 403 (\`40306\`).

**Typical flow.** List seasons; list or create teams (a season's \`_id\` is the team's \`season\`); manage players under a
team; create or list schedules (\`filter=upcoming\`, \`filter=live\`); read a schedule's player statistics.

**Values.** JSON types are strict: \`"30"\` is no number, \`1\` no boolean. Texts are trimmed, lengths count code points.
A date-time is ISO 8601 and, without a zone, read as UTC; answers are in UTC with milliseconds. Unknown fields and
parameters are refused by name. \`null\` is refused, but for four fields that a PATCH can clear.

**Lists** are paged by \`page\` and \`limit\`; \`total\` is exact. Every list has a total order.

**Repeating a create.** With the \`idem-key\` header a create can be repeated safely for 24 hours: the same body gives
the first answer again, with \`Idempotent-Replayed: true\`; another body is refused with 422.

**Limits.** 100 requests a minute for each key and controller (seasons, teams, players, schedules, player statistics).
A minute begins with the first request counted. \`RateLimit-*\` headers say what is left; on 429 \`Retry-After\` says when
the next request succeeds.

**Errors** have one envelope. \`error\` is a five-digit code, \`details\` names every wrong field, and \`traceId\` equals the
\`X-Request-Id\` header: quote it when you ask.
`.trim();

/** What the admin document says before its routes. */
export const adminDescription = `
The admin backend: organizations, their users, seasons, API keys and the writing of player statistics. Log in with
\`POST /auth/login\` and send the token as \`Authorization: Bearer <token>\`. API keys are not accepted here, and tokens
are not accepted on the public routes.

**Life of a key.** A key can be limited to scopes and to addresses when it is made. Rotating gives it a new secret;
\`graceSeconds\` lets the old one work a while longer, so that a partner can change over without a gap. Revoking is for good.

**Tokens** are good for an hour. A user's tokens end for good when the password changes or the user is disabled; those of
an organization's creator and admins are refused while the organization is disabled.

**Disabling** takes effect with the next request and can be taken back: of an organization, its keys stop, and its creator
and admins can neither log in nor use a token; of a user, they can neither, and the keys of an organization that they
created stop. Super admins belong to no organization, and nobody can disable themselves.

**Failed logins**, and wrong current passwords at \`POST /auth/password\`, are counted for 15 minutes. After 10 for one
email from one address (IPv6: from one /64 network), or 30 from one address whatever the emails, more from there are
refused with \`42902\` until \`Retry-After\`; the correct password still works from elsewhere. Logins that succeed are not
counted.

**Many logins at once** are refused with \`50302\` and \`Retry-After\`: try again. Logins from networks where the account
logged in within the last 30 days, and requests with a token, do not wait behind those of strangers, so they work while
strangers flood the server. From a new network it may take some tries meanwhile. Of one address, 32 logins may wait for
the one before them, for 1.5 seconds at most.
`.trim();

/** Returns the text of docs/errors.md, which lists every error of the catalogue. */
export function errorsPage(): string {
  const rows = Object.values(errorCatalogue).map(
    (entry) => `| \`${entry.code}\` | ${statusOf(entry)} | ${entry.message} | ${entry.when} |`,
  );
  return `# Errors

<!-- Made by \`npm run openapi\` from src/common/errors/error-catalogue.ts; do not edit. -->

Every error response has the same body:

\`\`\`json
{
  "error": 40001,
  "message": "name is required",
  "timestamp": "2027-05-01T10:00:00.000Z",
  "traceId": "5f6c1a52-7a3f-4b1e-9a53-2f2f6f0c9d11",
  "details": [{ "field": "name", "message": "name is required" }]
}
\`\`\`

The first three digits of \`error\` are the HTTP status. \`traceId\` equals the \`X-Request-Id\` header. With
\`40001\`, \`details\` lists all problems (at most 50), with nested fields as in \`rows[3].stats.completions\`; with \`40101\`, it
says if the \`Authorization\` header is missing or malformed. Decide by \`error\`: \`message\` is for people, can be more specific
than below, and can change.

| error | status | message | when, and what to do |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}
