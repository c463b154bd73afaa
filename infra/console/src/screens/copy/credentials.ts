/** How long an agent's credentials hold. */

/** How long before its end the warning begins, in milliseconds: when the service sends its first webhook of it. */
const warnWithin = 72 * 60 * 60 * 1000;

export type Credentials = { state: 'none' | 'held' | 'near' | 'past'; secondsLeft: number | null };

/** Tells it of an instant, RFC 3339 or null, and the time in milliseconds since 1970. */
export function credentialsAt(expireAt: string | null, now: number): Credentials {
  const at = expireAt === null ? Number.NaN : Date.parse(expireAt);
  if (Number.isNaN(at)) {
    return { state: 'none', secondsLeft: null };
  }
  const left = at - now;
  if (left <= 0) {
    return { state: 'past', secondsLeft: 0 };
  }
  return { state: left <= warnWithin ? 'near' : 'held', secondsLeft: Math.floor(left / 1000) };
}
