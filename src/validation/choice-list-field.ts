import { Field, type FieldOptions } from './field.js';
import { trim } from './text.js';

/** A query parameter with one or more of a fixed set of strings, separated by commas or as repeated parameters. */
export function ChoiceListField({
  choices,
  enumName,
  ...options
}: FieldOptions & { readonly choices: readonly string[]; readonly enumName: string }): PropertyDecorator {
  return Field({
    ...options,
    convert: (raw) => String(raw).split(',').map(trim),
    problem: (value) =>
      Array.isArray(value) && value.every((entry) => choices.includes(entry as string))
        ? undefined
        : `must be one or more of ${choices.join(', ')}, separated by commas`,
    schema: { isArray: true, enum: [...choices], enumName },
  });
}
