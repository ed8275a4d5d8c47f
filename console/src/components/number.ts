const number = new Intl.NumberFormat();

/** Returns a number in the viewer's locale. */
export const formatNumber = (value: number): string => number.format(value);

/** Returns a number and what it counts, such as "1 error" or "2 errors". */
export const formatCount = (value: number, one: string, many = `${one}s`): string =>
  `${number.format(value)} ${value === 1 ? one : many}`;
