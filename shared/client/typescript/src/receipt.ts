/** Waiting until a transaction is in a block. */
import { PendingError, RevertedError } from './errors.js';
import { pause } from './retry.js';

/** How a receipt is waited for. */
export interface ReceiptWait {
  /** How often it is asked for, in milliseconds. */
  pollMs: number;
  /** How long a transaction may take to be in a block, in milliseconds. */
  waitMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * Asks for a receipt until there is one. A node that does not answer in between is asked again.
 * @param ask gives whether the transaction did something; undefined while it is in no block
 * @throws RevertedError, and PendingError with why the wait ended
 */
export async function waitForReceipt(hash: string, ask: () => Promise<boolean | undefined>, wait: ReceiptWait): Promise<void> {
  const most = Math.max(1, Math.ceil(wait.waitMs / Math.max(1, wait.pollMs)));
  let last: unknown;
  for (let asked = 0; asked < most; asked++) {
    let done: boolean | undefined;
    try {
      done = await ask();
    } catch (error) {
      last = error;
    }
    if (done !== undefined) {
      if (!done) {
        throw new RevertedError(hash);
      }
      return;
    }
    try {
      await pause(wait.pollMs, wait.signal);
    } catch (reason) {
      throw new PendingError(hash, reason);
    }
  }
  throw new PendingError(hash, last);
}
