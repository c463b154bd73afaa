/** Randomness, and what is made of it. */

/** Gives so many random bytes. */
export type Random = (length: number) => Uint8Array;

/** The randomness of the browser or of Node. */
export function systemRandom(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** 32 random hexadecimal digits. */
export function randomWord(random: Random): string {
  return Array.from(random(16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A number in [0, 1). */
export function randomFraction(random: Random): number {
  const bytes = random(6);
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0) / 256 ** bytes.length;
}
