import { ObjectId } from 'mongodb';
import type { Input } from './documented-requests.js';
import { idFor, isOwnId, namesRecord, type IdKind } from './record-names.js';
import type { TwoOrganizations } from './two-organizations.js';

/** A string in place of a record ID. */
interface IdVariant {
  readonly whose: IdKind;
  readonly what: string;
  /** Differs for every input, because two teams of one request must not be equal. */
  readonly text: (input: Input, both: TwoOrganizations) => string;
}

/** An input that names a record, and the variant of its ID. */
export interface NamedId extends IdVariant {
  readonly input: Input;
}

const own: IdVariant = { whose: 'own', what: 'its own', text: (input, { a }) => String(idFor(input, a)) };
const foreign: IdVariant = {
  whose: 'foreign',
  what: 'another’s',
  // The team has the same external ID in both organizations.
  text: (input, { b }) => String(isOwnId(input) ? b.opponent['externalId'] : idFor(input, b)),
};
const unknown: IdVariant = { whose: 'unknown', what: 'nobody’s', text: newId };
const malformed: IdVariant = { whose: 'malformed', what: 'a word', text: ({ name }) => name };
const more: readonly IdVariant[] = [
  { whose: 'foreign', what: 'another’s in capitals', text: (input, { b }) => String(idFor(input, b)).toUpperCase() },
  { whose: 'malformed', what: 'an operator', text: ({ name }) => `{"$ne":"${name}"}` },
];

/** Every invalid combination of IDs: each input in many variants, and all inputs at once. */
export function invalidIdCombinations(sent: readonly Input[]): NamedId[][] {
  const inputs = sent.filter(namesRecord);
  const usual = [own, foreign, unknown, malformed];
  const together = inputs.reduce<NamedId[][]>(
    (known, input) => known.flatMap((one) => usual.map((spelling) => [...one, { input, ...spelling }])),
    [[]],
  );
  // Those of which any text is an ID are not malformed.
  const alone = inputs.filter((input) => !isOwnId(input)).flatMap((input) => more.map((one) => [{ input, ...one }]));
  return [...together.filter((spelled) => spelled.some(({ whose }) => whose !== 'own')), ...alone];
}

function newId(): string {
  return String(new ObjectId());
}
