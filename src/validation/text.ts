/** White space, controls, formats and letters without a glyph (Hangul fillers, the blank Braille pattern). */
const invisible = /^[\s\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]*$/u;
const control = /\p{Cc}/u;
const controlExceptTabAndNewline = /[^\P{Cc}\t\n]/u;
const loneSurrogate = /\p{Cs}/u;

/** The limits of a text field; lengths count code points. */
export interface TextLimits {
  readonly max: number;
  readonly min?: number;
  /** Accepts a text of white space only; not for required texts. */
  readonly allowBlank?: boolean;
  /** Accepts tabs and newlines. */
  readonly multiline?: boolean;
}

/** Returns whether a text has no visible character. */
export function isBlank(text: string): boolean {
  return invisible.test(text);
}

export function textProblem(value: unknown, limits: TextLimits): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  // A code point has at most two units. The expressions below would take long for a long text.
  if (value.length > 2 * limits.max) return lengthProblem(limits);
  if (limits.allowBlank !== true && isBlank(value)) return 'must not be blank';
  if ((limits.multiline === true ? controlExceptTabAndNewline : control).test(value)) {
    return 'must not contain control characters';
  }
  if (loneSurrogate.test(value)) return 'must be well-formed Unicode (it contains a lone surrogate)';
  const length = Array.from(value).length;
  return length > limits.max || length < (limits.min ?? 0) ? lengthProblem(limits) : undefined;
}

function lengthProblem({ min = 0, max }: TextLimits): string {
  return min > 0 ? `must have ${min} to ${max} characters` : `must have at most ${max} characters`;
}

/** Characters without a glyph, from copies of web pages. Joiners stay between others, with which emoji and some scripts are written. */
const unseen = /[\u00ad\u180e\u200b\u2060-\u2064\ufeff]|(?<![^\s\u200c\u200d])[\u200c\u200d]+|[\u200c\u200d]+(?=\s|$)/g;

/** Trims a string and removes invisible characters; returns any other value unchanged, for the field's rule to reject. */
export function trim(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(unseen, '').trim() : value;
}

const { compare } = new Intl.Collator('en');

/** Compares names as people sort them: by letters first, then by accents and case. */
export function compareNames(a: string, b: string): number {
  return compare(a, b) || compareText(a, b);
}

/** What keyboards send for an apostrophe. */
export const apostrophes = "'\u2018\u2019\u02bc\u00b4`";
const apostrophe = new RegExp(`[${apostrophes}]`);

/** Returns a text with each kind of apostrophe, if it has one. */
export function withApostrophes(text: string): string[] {
  const parts = text.split(apostrophe);
  return parts.length === 1 ? [text] : Array.from(apostrophes, (kind) => parts.join(kind));
}

/** Compares by code unit. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
