/** The venues by their names in requests. */
import type { Answer } from '@mirrorworthy/client';

export type VenueName = Answer<'AgentVenue'>;

export const spot: VenueName = 'dexvenue-spot';
export const perps: VenueName = 'perpvenue-perps';
export const prediction: VenueName = 'predictvenue-markets';

const names: readonly VenueName[] = [spot, perps, prediction];

export function isVenue(text: string | undefined): text is VenueName {
  return names.some((name) => name === text);
}
