import { format, resolveConfig } from 'prettier';

const begin = (name) => `<!-- scaling:${name}:begin -->`;
const end = (name) => `<!-- scaling:${name}:end -->`;

/**
 * A page whose parts between marks are replaced, as the linter wants it.
 * @throws Error where a part has no place in the page
 */
export async function fillPage(file, text, parts) {
  let filled = text;
  for (const [name, part] of Object.entries(parts)) {
    const [from, to] = [filled.indexOf(begin(name)), filled.indexOf(end(name))];
    if (from === -1 || to < from) throw new Error(`The page has no place for ${name}`);
    filled = `${filled.slice(0, from + begin(name).length)}\n\n${part}\n\n${filled.slice(to)}`;
  }
  return format(filled, { ...(await resolveConfig(file)), filepath: file });
}
