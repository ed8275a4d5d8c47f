/** Internal parts of the driver: see find-command.ts. */
declare module 'mongodb/lib/operations/find.js' {
  export const FindOperation: new (namespace: unknown, filter: object, options: object) => object;
}
declare module 'mongodb/lib/operations/execute_operation.js' {
  /** Returns the response, whose documents `shift` deserializes one after another; null after the last one. */
  export function executeOperation(client: unknown, operation: object): Promise<{ shift(): object | null }>;
}
