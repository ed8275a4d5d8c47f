import { Group } from '@mantine/core';
import type { HourUsageResponse } from '../api/generated/types.gen';
import { texts } from '../texts';
import { formatTime } from './time';

export const sum = (hours: readonly HourUsageResponse[], field: 'requests' | 'errors'): number =>
  hours.reduce((total, hour) => total + hour[field], 0);

/** One bar per hour: requests, and in front of them errors. Screen readers get the sums. */
export function UsageBars({ hours, height }: { hours: readonly HourUsageResponse[]; height: number }) {
  const highest = Math.max(1, ...hours.map(({ requests }) => requests));
  // At least 2 px, so that a single request is visible beside thousands.
  const heightOf = (value: number) => (value === 0 ? 0 : Math.max(2, (value / highest) * height));
  return (
    <svg
      role="img"
      display="block"
      aria-label={texts.usage.summary(sum(hours, 'requests'), sum(hours, 'errors'))}
      width="100%"
      height={height}
      viewBox={`0 0 ${hours.length * 10} ${height}`}
      preserveAspectRatio="none"
    >
      {hours.map(({ hour, requests, errors }, index) => (
        <g key={hour}>
          <title>{texts.usage.hourly(formatTime(hour), requests, errors)}</title>
          {[
            ['bar-track', height] as const,
            ['bar', heightOf(requests)] as const,
            ['bar-error', heightOf(errors)] as const,
          ].map(([name, length]) => (
            <rect key={name} className={name} x={index * 10} y={height - length} width={8} height={length} />
          ))}
        </g>
      ))}
    </svg>
  );
}

/** What the colors of the bars mean. */
export function UsageLegend() {
  return (
    <Group component="span" gap="md" fz="xs">
      {(['requests', 'errors'] as const).map((name) => (
        <Group key={name} component="span" gap={6}>
          <svg aria-hidden="true" width="10" height="10">
            <rect className={name === 'errors' ? 'bar-error' : 'bar'} width="10" height="10" rx="2" />
          </svg>
          {texts.usage[name]}
        </Group>
      ))}
    </Group>
  );
}
