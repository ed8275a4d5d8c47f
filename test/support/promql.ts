/** A metric and the labels of its selector. */
export interface Selector {
  readonly name: string;
  readonly labels: readonly string[];
}

/** The metrics of a PromQL expression, and the labels that it groups by. */
interface ParsedExpression {
  readonly metrics: readonly Selector[];
  readonly grouping: readonly string[];
}

const words = new Set(
  'by without on ignoring group_left group_right bool and or unless offset start end inf nan'.split(' '),
);

/** Parses the names in an expression; supports only the PromQL that our files use. */
export function parsePromql(expression: string): ParsedExpression {
  let rest = expression;
  const grouping: string[] = [];
  const take = (pattern: RegExp, heed: (...parts: string[]) => void) => {
    rest = rest.replace(pattern, (...parts: string[]) => {
      heed(...parts);
      return ' ';
    });
  };
  take(/\[[^\]]*\]/g, () => undefined);
  take(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g, (_, inner = '') =>
    grouping.push(...namesIn(inner)),
  );
  const metrics: Selector[] = [];
  take(/([a-zA-Z_:][\w:]*)\s*\{((?:[^}"]|"[^"]*")*)\}/g, (_, name = '', inner = '') =>
    metrics.push({ name, labels: [...inner.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label) }),
  );
  take(/"[^"]*"/g, () => undefined);
  for (const [, name = '', after = ''] of rest.matchAll(/(?<![\w.])([a-zA-Z_:][\w:]*)\s*(\(?)/g)) {
    if (after === '' && !words.has(name)) metrics.push({ name, labels: [] });
  }
  return { metrics, grouping };
}

/** Returns whether all brackets are closed in the right order. */
export function isBalanced(expression: string): boolean {
  const partners: Record<string, string> = { ')': '(', '}': '{', ']': '[' };
  const open: string[] = [];
  for (const sign of expression.replace(/"[^"]*"/g, '')) {
    if ('({['.includes(sign)) open.push(sign);
    else if (sign in partners && open.pop() !== partners[sign]) return false;
  }
  return open.length === 0;
}

function namesIn(list: string): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
