/**
 * Idempotency keys for what a person asks by a button: the same request again, after no answer came, has the same key, so that it is done
 * once however often the button is pressed.
 */
import { ApiError } from '@mirrorworthy/client';

export type Repeatable = {
  /** The key of a request. */
  keyOf: (request: object) => string;
  /** Takes note of how the last request failed: what the service refused is asked anew the next time. */
  failed: (error: unknown) => void;
};

export function repeatable(make: () => string): Repeatable {
  let kept: { text: string; key: string } | null = null;
  return {
    keyOf: (request) => {
      const text = JSON.stringify(request);
      if (kept === null || kept.text !== text) {
        kept = { text, key: make() };
      }
      return kept.key;
    },
    failed: (error) => {
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) {
        kept = null;
      }
    },
  };
}
