import { Group } from '@mantine/core';
import type { HourUsageResponse } from '../api/generated/types.gen';
import { formatCount } from './number';
import { formatTime } from './time';
import type { EmptyText } from './ui';

export const sum = (hours: readonly HourUsageResponse[], field: 'requests' | 'errors'): number =>
  hours.reduce((total, hour) => total + hour[field], 0);

/** Returns the requests of the busiest hour, the scale of the bars. */
export const highestOf = (hours: readonly HourUsageResponse[]): number =>
  Math.max(1, ...hours.map(({ requests }) => requests));

const formatUsage = (requests: number, errors: number): string =>
  `${formatCount(requests, 'request')}, ${formatCount(errors, 'error')}`;

/** Returns the period in words. */
export const periodOf = (hours: number): string => (hours > 24 ? 'the last 7 days' : 'the last 24 hours');

/** Returns the sums of a period in words, such as "2 requests, 1 error in the last 24 hours". */
export const summaryOf = (hours: readonly HourUsageResponse[]): string =>
  `${formatUsage(sum(hours, 'requests'), sum(hours, 'errors'))} in ${periodOf(hours.length)}`;

export const noUsage = (hours = 24): EmptyText => [
  `No requests in ${periodOf(hours)}`,
  'Requests with a key appear here within a minute.',
];

interface UsageBarsProps {
  hours: readonly HourUsageResponse[];
  height: number;
  /** The scale, if other bars share it. */
  highest?: number;
}

/** One bar per hour: requests, and in front of them errors. Screen readers get the sums. */
export function UsageBars({ hours, height, highest = highestOf(hours) }: UsageBarsProps) {
  // At least 2 px, so that a single request is visible beside thousands.
  const heightOf = (value: number) => (value === 0 ? 0 : Math.max(2, (value / highest) * height));
  return (
    <svg
      role="img"
      display="block"
      aria-label={summaryOf(hours)}
      width="100%"
      height={height}
      viewBox={`0 0 ${hours.length * 10} ${height}`}
      preserveAspectRatio="none"
    >
      {hours.map(({ hour, requests, errors }, index) => (
        <g key={hour}>
          <title>{`${formatTime(hour)}: ${formatUsage(requests, errors)}`}</title>
          {[
            ['bar-hour', height] as const,
            ['bar-axis', 1] as const,
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
      {[
        ['bar', 'Requests'],
        ['bar-error', 'Errors'],
      ].map(([bar, label]) => (
        <Group key={bar} component="span" gap={6}>
          <svg aria-hidden="true" width="10" height="10">
            <rect className={bar} width="10" height="10" rx="2" />
          </svg>
          {label}
        </Group>
      ))}
    </Group>
  );
}
