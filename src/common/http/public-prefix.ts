/** What the path of every public route begins with, without the first slash. */
export const publicPrefix = 'v1/public-api';
