import { Box, Group, useComputedColorScheme, useMantineTheme } from '@mantine/core';
import { BarController, BarElement, CategoryScale, Chart, LinearScale, Tooltip } from 'chart.js';
import { Bar } from 'react-chartjs-2';
import type { HourUsageResponse } from '../api/generated/types.gen';
import { formatCount } from './number';
import { formatAxisTime, formatTime } from './time';
import type { EmptyText } from './ui';

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip);
Chart.defaults.animation = false;

export const sum = (hours: readonly HourUsageResponse[], field: 'requests' | 'errors'): number =>
  hours.reduce((total, hour) => total + hour[field], 0);

/** Returns the period in words. */
export const periodOf = (hours: number): string => (hours > 24 ? 'the last 7 days' : 'the last 24 hours');

/** Returns the sums of a period in words, such as "2 requests, 1 error in the last 24 hours". */
export function summaryOf(hours: readonly HourUsageResponse[]): string {
  const [requests, errors] = [sum(hours, 'requests'), sum(hours, 'errors')];
  return `${formatCount(requests, 'request')}, ${formatCount(errors, 'error')} in ${periodOf(hours.length)}`;
}

export const notCounted = 'Requests with a key that does not exist get 401 and are not counted.';

export const noUsage = (hours = 24): EmptyText => [
  `No requests in ${periodOf(hours)}`,
  `Requests appear here within a minute. ${notCounted}`,
];

/** Returns the colors of Mantine's theme, because a canvas cannot read CSS variables. */
function useColors() {
  const { colors, fontFamily } = useMantineTheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return {
    fontFamily,
    Requests: colors.indigo[isDark ? 4 : 5],
    Errors: colors.red[isDark ? 5 : 8],
    grid: isDark ? colors.dark[4] : colors.gray[3],
    text: isDark ? colors.dark[1] : colors.gray[7],
  };
}

interface UsageBarsProps {
  hours: readonly HourUsageResponse[];
  height: number;
  /** The scale of bars without axes, which share it with other bars. */
  highest?: number;
}

/** One bar per hour: requests, and in front of them errors. Screen readers get the sums. */
export function UsageBars({ hours, height, highest }: UsageBarsProps) {
  const { grid, text: color, fontFamily, ...bars } = useColors();
  const datasets = (['Errors', 'Requests'] as const).map((label) => ({
    label,
    // Nothing for 0, which would get the minimum of a bar: a single request is visible beside thousands.
    data: hours.map((hour) => hour[label === 'Errors' ? 'errors' : 'requests'] || null),
    backgroundColor: bars[label],
    minBarLength: 2,
    grouped: false,
  }));
  const display = highest === undefined;
  const ticks = { color, font: { family: fontFamily }, precision: 0, maxRotation: 0, maxTicksLimit: 7 };
  const labelOf = (index: number) => formatAxisTime(hours[index]?.hour ?? '', hours.length);
  return (
    <Box className="bars" h={height}>
      <Bar
        aria-label={summaryOf(hours)}
        data={{ labels: hours.map(({ hour }) => formatTime(hour)), datasets }}
        options={{
          maintainAspectRatio: false,
          interaction: { mode: 'index', intersect: false },
          plugins: { tooltip: { enabled: display, itemSort: (a, b) => b.datasetIndex - a.datasetIndex } },
          scales: {
            x: { display, grid: { display: false }, ticks: { ...ticks, callback: (_, index) => labelOf(index) } },
            y: { display, max: highest, beginAtZero: true, grid: { color: grid }, border: { display: false }, ticks },
          },
        }}
      />
    </Box>
  );
}

/** What the colors of the bars mean. */
export function UsageLegend() {
  const colors = useColors();
  return (
    <Group gap="md" fz="xs">
      {(['Requests', 'Errors'] as const).map((label) => (
        <Group key={label} gap={6}>
          <Box w={10} h={10} bdrs={2} bg={colors[label]} />
          {label}
        </Group>
      ))}
    </Group>
  );
}
