/** A whole number. */
export const whole = (value) => Math.round(value).toLocaleString('en');
/** Two digits: more is more than is known. */
export const rough = (value) => Number(value.toPrecision(2)).toLocaleString('en');
/** A share of one. */
export const percent = (share) => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
export const megabytes = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MB`;
export const dollars = (value) => `$${value.toFixed(3)}`;
