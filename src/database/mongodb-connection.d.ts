/** An internal part of the driver: see broken-connections.ts. */
declare module 'mongodb/lib/cmap/connection.js' {
  export const Connection: { readonly prototype: unknown } | undefined;
}
