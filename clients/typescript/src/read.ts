/** The rows of a list, on all pages. `await` returns the first page only. */
export interface List<Page, Row> extends Promise<Page>, AsyncIterable<Row> {
  /**
   * Returns the pages. To keep a copy with the change feed, store `nextCursor` together with the records of its page,
   * and start there next time.
   */
  pages(): AsyncIterable<Page>;
}

/** The result of a `GET` with this response: a list, a record without its `data`, or the body. */
export type ReadOf<Body> = Body extends { data: (infer Row)[] }
  ? List<Body, Row>
  : Promise<Body extends { data: infer Data } ? Data : Body>;

interface Page {
  data?: unknown;
  nextCursor?: string;
  hasMore?: boolean;
}

/** A `GET` request, which is sent when its result is awaited or iterated. */
export class Read implements List<unknown, unknown> {
  readonly [Symbol.toStringTag] = 'Read';
  private first: Promise<unknown> | undefined;

  constructor(private readonly send: (cursor?: string) => Promise<unknown>) {}

  async *pages(): AsyncGenerator<Page> {
    let cursor: string | undefined;
    do {
      const page = (await this.send(cursor)) as Page;
      yield page;
      // The change feed always has a cursor, for the next time.
      cursor = page.hasMore === false ? undefined : page.nextCursor;
    } while (cursor !== undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator {
    for await (const page of this.pages()) yield* page.data as unknown[];
  }

  then: Promise<unknown>['then'] = (onResolved, onRejected) => this.value().then(onResolved, onRejected);
  catch: Promise<unknown>['catch'] = (onRejected) => this.value().catch(onRejected);
  finally: Promise<unknown>['finally'] = (onSettled) => this.value().finally(onSettled);

  private value(): Promise<unknown> {
    return (this.first ??= this.send().then(unwrap));
  }
}

/** Adds the revision to a list that has it only as `ETag`, such as the statistics of a game. */
export function addRevision(body: unknown, etag: string | null): unknown {
  const revision = /^(?:W\/)?"(\d+)"$/.exec(etag ?? '')?.[1];
  return revision !== undefined && Array.isArray((body as Page).data)
    ? { ...(body as Page), revision: +revision }
    : body;
}

/** Returns a record without its `data`; a list and every other body as it is. */
export function unwrap(body: unknown): unknown {
  const { data } = body as Page;
  return data === undefined || Array.isArray(data) ? body : data;
}
