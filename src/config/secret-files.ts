import { readFileSync } from 'node:fs';

/** Variables whose value can also be in a file. `<name>_FILE` is its path, as orchestrators mount secrets. */
export const secretNames = [
  'MONGODB_URI',
  'REDIS_URL',
  'JWT_SECRET',
  'JWT_SECRET_SECONDARY',
  'SUPER_ADMIN_PASSWORD',
  'SECOND_FACTOR_KEY',
  'SECOND_FACTOR_KEY_SECONDARY',
] as const;

/**
 * Returns the variables with the secrets of their files, without a line break at the end, the problems of these files, and
 * the names of secrets that cannot be read. An empty file counts as unset, as an empty variable does.
 */
export function readSecretFiles(variables: Record<string, string>) {
  const problems: string[] = [];
  const unreadable: string[] = [];
  const values = { ...variables };
  for (const name of secretNames) {
    const file = variables[`${name}_FILE`];
    if (file === undefined) continue;
    if (name in variables) {
      problems.push(`${name} and ${name}_FILE are both set; set one of them`);
      continue;
    }
    try {
      const value = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
      if (value !== '') values[name] = value;
    } catch (error) {
      unreadable.push(name);
      problems.push(`${name}_FILE cannot be read: ${(error as NodeJS.ErrnoException).code}`);
    }
  }
  return { variables: values, problems, unreadable };
}
