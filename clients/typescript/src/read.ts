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
  total?: number;
  nextCursor?: string;
  hasMore?: boolean;
}

/** The parameters of a list. */
type Query = Record<string, unknown> & { page?: unknown; limit?: unknown; cursor?: unknown };

/** A `GET` request, which is sent when its result is awaited or iterated. */
export class Read implements List<unknown, unknown> {
  readonly [Symbol.toStringTag] = 'Read';
  private first: Promise<unknown> | undefined;

  constructor(
    private readonly send: (query: Query) => Promise<unknown>,
    private readonly query: Query = {},
  ) {}

  async *pages(): AsyncGenerator<Page> {
    let query: Query | undefined = this.query;
    while (query !== undefined) {
      const page = (await this.send(query)) as Page;
      query = nextQuery(page, query);
      // Page 1 follows only the page of 20 rows that it replaces.
      if (query?.page !== 1) yield page;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator {
    for await (const page of this.pages()) yield* page.data as unknown[];
  }

  then: Promise<unknown>['then'] = (onResolved, onRejected) => this.value().then(onResolved, onRejected);
  catch: Promise<unknown>['catch'] = (onRejected) => this.value().catch(onRejected);
  finally: Promise<unknown>['finally'] = (onSettled) => this.value().finally(onSettled);

  private value(): Promise<unknown> {
    return (this.first ??= this.send(this.query).then(unwrap));
  }
}

/**
 * Returns the query of the page after this one, or undefined after the last one. Pages have 100 rows unless the caller
 * has set a limit, because each request counts for the rate limit.
 */
function nextQuery({ data, total = 0, nextCursor, hasMore }: Page, query: Query): Query | undefined {
  const { page, ...filters } = query;
  // The change feed always has a cursor, for the next time.
  if (hasMore === false) return undefined;
  if (nextCursor !== undefined) return { limit: 100, ...filters, cursor: nextCursor };
  const [number, limit] = [Number(page ?? 1), Number(filters.limit ?? 20)];
  const rows = (data as unknown[] | undefined)?.length ?? 0;
  // A list that has only pages. They shift while others write, so that one can be empty.
  if (filters.cursor !== undefined || rows === 0 || (number - 1) * limit + rows >= total) return undefined;
  if (page === undefined && filters.limit === undefined) return { ...filters, page: 1, limit: 100 };
  return { ...filters, page: number + 1, limit };
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
