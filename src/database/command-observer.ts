import type { Connection, mongo } from 'mongoose';

/** A command that is sent to the database: what it does, never what it holds. */
export interface SentCommand {
  /** Of its own in this process. */
  readonly id: number;
  /** As MongoDB names it: `find`, `insert`. */
  readonly name: string;
  readonly database: string;
  /** Undefined where the command is about none, as a commit. */
  readonly collection: string | undefined;
  /** `host:port` of the member that it is sent to. */
  readonly address: string;
}

/** Whoever wants to know of commands; told where the command is sent, in the async context of whoever sends it. */
export interface CommandObserver {
  started(command: SentCommand): void;
  /** @param failure undefined where the command was answered */
  ended(id: number, failure?: Error): void;
}

/** Tells of the commands of a connection that is opened with `monitorCommands`. */
export function observeCommands(connection: Connection, observer: CommandObserver): void {
  connection.on('commandStarted', (event: mongo.CommandStartedEvent) => {
    const { requestId: id, commandName: name, databaseName: database, address } = event;
    observer.started({ id, name, database, collection: collectionOf(event), address });
  });
  connection.on('commandSucceeded', ({ requestId }: mongo.CommandSucceededEvent) => observer.ended(requestId));
  connection.on('commandFailed', ({ requestId, failure }: mongo.CommandFailedEvent) =>
    observer.ended(requestId, failure),
  );
}

/** A command names its collection as the value of its own name, but for those that go on with a cursor. */
function collectionOf({ command, commandName }: mongo.CommandStartedEvent): string | undefined {
  const { [commandName]: target, collection } = command as Record<string, unknown>;
  if (typeof target === 'string') return target;
  return typeof collection === 'string' ? collection : undefined;
}
