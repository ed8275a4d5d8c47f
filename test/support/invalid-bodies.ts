export const oversized = JSON.stringify({ name: 'x'.repeat(150_000) });

/** Bodies of `POST /teams` with their types, in the order in which their errors are reported. */
export const invalidBodies: readonly (readonly [what: string, type: string, body: string])[] = [
  ['another media type', 'text/plain', oversized],
  ['a body that is too large', 'application/json', oversized],
  ['malformed JSON', 'application/json', '{"name":'],
  ['an invalid field', 'application/json', '{"nonsense":1}'],
];
