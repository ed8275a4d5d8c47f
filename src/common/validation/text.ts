/** White space, controls, formats and the letters that draw nothing (Hangul fillers, the blank Braille pattern). */
const invisible = /^[\s\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]*$/u;
const control = /\p{Cc}/u;
const controlButTabAndNewline = /[^\P{Cc}\t\n]/u;
const loneSurrogate = /\p{Cs}/u;

/** How a text field is limited; lengths count code points. */
export interface TextLimits {
  readonly max: number;
  readonly min?: number;
  /** True: a text of nothing but white space may be sent (only for optional texts). */
  readonly blank?: boolean;
  /** True: tab and newline may stand in it. */
  readonly lines?: boolean;
}

/** True for a text in which a reader would see nothing. */
export function isBlank(text: string): boolean {
  return invisible.test(text);
}

/** The number of code points of a text. */
export function codePoints(text: string): number {
  return Array.from(text).length;
}

/**
 * What is wrong with a value as a text, as the end of a sentence («must be …»), or undefined.
 * The value is expected to be trimmed already.
 */
export function textProblem(value: unknown, limits: TextLimits): string | undefined {
  if (typeof value !== 'string') return 'must be a text';
  if (limits.blank !== true && isBlank(value)) return 'must not be blank';
  if ((limits.lines === true ? controlButTabAndNewline : control).test(value)) {
    return 'must not contain control characters';
  }
  if (loneSurrogate.test(value)) return 'must be well-formed Unicode (it contains a lone surrogate)';
  const length = codePoints(value);
  const min = limits.min ?? 0;
  if (length > limits.max || length < min) {
    return min > 0 ? `must have ${min} to ${limits.max} characters` : `must have at most ${limits.max} characters`;
  }
  return undefined;
}

/** Trims a text; anything else stays as it is, for the rule to refuse. */
export function trimmed(value: unknown): unknown {
  return typeof value === 'string' ? value.trim() : value;
}
