import { repositories } from './query-cases.js';

/** Methods without a query of their own. */
const withoutQuery = ['constructor', 'insert', 'insertIdempotent', 'isCached', 'slotsFor'];

interface Repository {
  readonly name: string;
  readonly prototype: object;
}

/** The methods that all repositories declare and that send a query, as `TeamsRepository.findBySeason`. */
export function queryMethods(): string[] {
  return repositories.flatMap((repository) => methodsOf(repository).map((method) => `${repository.name}.${method}`));
}

/** Records the methods that are called of all repositories, until it is stopped. */
export class RecordedCalls {
  /** As `queryMethods` names them, in the order of the calls. */
  readonly made: string[] = [];
  private readonly restore = repositories.map((repository) => this.record(repository));

  stop(): void {
    for (const restoreMethods of this.restore) restoreMethods();
  }

  private record(repository: Repository): () => void {
    const { prototype, name } = repository;
    const originals = Object.getOwnPropertyDescriptors(prototype);
    const { made } = this;
    for (const method of methodsOf(repository)) {
      const original = originals[method as keyof typeof originals] as TypedPropertyDescriptor<
        (...given: unknown[]) => unknown
      >;
      Object.defineProperty(prototype, method, {
        ...original,
        value: function (this: object, ...given: unknown[]): unknown {
          made.push(`${name}.${method}`);
          return original.value?.apply(this, given);
        },
      });
    }
    return () => Object.defineProperties(prototype, originals);
  }
}

function methodsOf({ prototype }: Repository): string[] {
  return Object.getOwnPropertyNames(prototype).filter((method) => !withoutQuery.includes(method));
}
