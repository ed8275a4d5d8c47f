import type { Type } from '@nestjs/common';
import { type InputField, inputFieldsOf } from './field.js';

type Plan = ReadonlyMap<string, InputField>;

const plans = new WeakMap<Type<object>, Plan | null>();

/**
 * The instance of a class that a right body or query becomes, by the conversions and rules of its fields; undefined where
 * anything is wrong, or the class has fields with fields of their own: what is wrong is then told by the library, which
 * looks up what it knows of each field anew each time. The fields' rules are the same ones in both ways.
 */
export function acceptedInput(type: Type<object>, raw: unknown): object | undefined {
  const plan = planOf(type);
  if (plan === null || typeof raw !== 'object' || raw === null || Array.isArray(raw)) return undefined;
  const input = new type() as Record<string, unknown>;
  for (const [name, sent] of Object.entries(raw)) {
    const field = plan.get(name);
    if (field === undefined) return undefined;
    input[name] = field.convert === undefined ? sent : field.convert(sent);
  }
  for (const [name, { problems, isClearable }] of plan) {
    const value = input[name];
    if (isClearable && value === null) continue;
    if (problems.some((problem) => problem(value, input) !== undefined)) return undefined;
  }
  return input;
}

function planOf(type: Type<object>): Plan | null {
  const known = plans.get(type);
  if (known !== undefined) return known;
  const plan = inputFieldsOf(type) ?? null;
  plans.set(type, plan);
  return plan;
}
