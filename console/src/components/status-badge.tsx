import { Badge } from '@mantine/core';

const colors = { good: 'teal', warning: 'yellow', bad: 'red', neutral: 'gray' };

/** A status in words; the color only repeats it. */
export function StatusBadge({ tone, children }: { tone: keyof typeof colors; children: string }) {
  return (
    <Badge className={`tone-${tone}`} color={colors[tone]} tt="none" fw={600}>
      {children}
    </Badge>
  );
}
