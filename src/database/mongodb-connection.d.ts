/** A part of the driver that it does not publish: see broken-connections.ts. */
declare module 'mongodb/lib/cmap/connection.js' {
  export const Connection: { readonly prototype: unknown } | undefined;
}
