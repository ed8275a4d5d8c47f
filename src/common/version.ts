/** The version of this server, as package.json says it. */
export const version = '1.0.0';
