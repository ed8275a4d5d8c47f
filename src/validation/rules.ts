import { ValidateBy, type ValidationArguments } from 'class-validator';
import { isBlank, textProblem, type TextLimits } from './text.js';

/**
 * The rules for which class-validator has no exact one. Each message is the end of a sentence that begins with the name of
 * the field. It must not contain what a client sent, because class-validator replaces `$value` and the like in it.
 */

/** Declares a rule by a function that returns the problem of a value in the request, or undefined if it is valid. */
export function Rule(
  name: string,
  problemOf: (value: unknown, input: Readonly<Record<string, unknown>>) => string | undefined,
): PropertyDecorator {
  const problem = ({ value, object }: ValidationArguments) => problemOf(value, object as Record<string, unknown>);
  return ValidateBy({
    name,
    validator: {
      validate: (_value, input) => input !== undefined && problem(input) === undefined,
      defaultMessage: (input) => (input && problem(input)) ?? '',
    },
  });
}

/** Returns a function that returns the problem of a text that is none of these. */
export const oneOf = (choices: readonly string[]) => (value: string) =>
  choices.includes(value) ? undefined : `must be one of ${choices.join(', ')}`;

/** A text within limits, as `textProblem` defines them. */
export const IsText = (limits: TextLimits) => Rule('isText', (value) => textProblem(value, limits));

/** A text with a visible character. */
export const IsVisible = () =>
  Rule('isVisible', (value) => {
    if (typeof value !== 'string') return 'must be a string';
    return isBlank(value) ? 'must not be blank' : undefined;
  });

/** Unique strings, each valid by a function. The problems of the entries are separated as `problemsOf` expects it. */
export const IsTextList = (entryProblem: (entry: string) => string | undefined) =>
  Rule('isTextList', (value) => {
    const list = value as readonly unknown[];
    const problems = list.flatMap((entry, index) => {
      const first = list.indexOf(entry);
      const repetition = first === index ? undefined : `must not repeat entry ${first}`;
      const problem = typeof entry === 'string' ? (entryProblem(entry) ?? repetition) : 'must be a string';
      return problem === undefined ? [] : [`[${index}] ${problem}`];
    });
    return problems.length === 0 ? undefined : problems.join('\n');
  });
