/** Lists that the service gives in pages. */
import { AnswerError } from './errors.js';

/** A page of any list. */
export interface Page<Row> {
  rows: readonly Row[];
  nextCursor: string | null;
}

/**
 * A list. `for await` walks through all of it, and asks for each page when it is needed; `await` gives what the operation says it gives.
 * Nothing is asked before either.
 */
export class Listing<Row, Whole> implements AsyncIterable<Row>, PromiseLike<Whole> {
  readonly #ask: (cursor: string | undefined) => Promise<Page<Row>>;
  readonly #gather: (rows: AsyncIterable<Row>) => Promise<Whole>;

  constructor(ask: (cursor: string | undefined) => Promise<Page<Row>>, gather: (rows: AsyncIterable<Row>) => Promise<Whole>) {
    this.#ask = ask;
    this.#gather = gather;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void, undefined> {
    for (let cursor: string | undefined; ; ) {
      const page = await this.#ask(cursor);
      yield* page.rows;
      const next = page.nextCursor || undefined;
      if (next === undefined) {
        return;
      }
      if (next === cursor) {
        throw new AnswerError('a page is its own next');
      }
      cursor = next;
    }
  }

  // biome-ignore lint/suspicious/noThenProperty: a list is awaited for its first answer and walked through for all, as in other clients.
  then<Kept = Whole, Caught = never>(
    kept?: ((value: Whole) => Kept | PromiseLike<Kept>) | null,
    caught?: ((reason: unknown) => Caught | PromiseLike<Caught>) | null,
  ): Promise<Kept | Caught> {
    return this.#gather(this).then(kept, caught);
  }
}

/** Gathers all rows. */
export async function gatherAll<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = [];
  for await (const row of rows) {
    all.push(row);
  }
  return all;
}
