/**
 * How far the choice of a copy is: who, how much, with which wallet, and within which limits. It asks nobody anything; the screen tells it
 * what happened, and it says what may come next.
 */

/** The stages before there is an agent, in their order. */
export const stages = ['choose', 'size', 'wallet', 'agent'] as const;
export type Stage = (typeof stages)[number];

/**
 * What the service says of copying, where it was asked. `copy` is null where the service has no say: a venue without sizing. `lines` are
 * what whoever goes on must have read.
 */
export type Advice = { copy: boolean | null; lines: readonly string[]; suggested: Suggested };

/** What an answer of the service suggests for the agent's limits. Amounts are decimal text. */
export type Suggested = {
  maxUsd?: string;
  copyPercent?: string;
  maxLeverage?: string;
  perPositionCapPct?: string;
  excludeTokens?: readonly string[];
  /** Where the suggestions come from, as a sentence. */
  source?: string;
};

export type Flow = {
  stage: Stage;
  /** The furthest stage reached, which one can go back to. */
  reached: Stage;
  advice: Advice | null;
  /** Whether the person said to have read the advice, or that there is none. */
  read: boolean;
  /** Whether a wallet is signed in. */
  signedIn: boolean;
};

export type FlowEvent =
  | { type: 'chosen' }
  | { type: 'advised'; advice: Advice }
  /** What the advice was asked for has changed. */
  | { type: 'outdated' }
  | { type: 'read'; read: boolean }
  | { type: 'sized' }
  | { type: 'signed'; in: boolean }
  | { type: 'to'; stage: Stage };

export function startOf(signedIn: boolean): Flow {
  return { stage: 'choose', reached: 'choose', advice: null, read: false, signedIn };
}

/** Whether an agent may be made that is not on paper: not against the service's advice, and not without it. */
export function onPaperAlone(flow: Flow): boolean {
  return flow.advice === null || flow.advice.copy === false;
}

/** Whether a stage can be gone to by itself: one that was reached, and whose conditions hold still. */
export function canGoTo(flow: Flow, stage: Stage): boolean {
  const at = stages.indexOf(stage);
  if (at > stages.indexOf(flow.reached)) {
    return false;
  }
  if (at > stages.indexOf('size') && !flow.read) {
    return false;
  }
  return stage !== 'agent' || flow.signedIn;
}

function at(flow: Flow, stage: Stage): Flow {
  const reached = stages.indexOf(stage) > stages.indexOf(flow.reached) ? stage : flow.reached;
  return { ...flow, stage, reached };
}

/** What comes after an event. One that does not fit changes nothing. */
export function nextOf(flow: Flow, event: FlowEvent): Flow {
  switch (event.type) {
    case 'chosen':
      return at(flow, 'size');
    case 'advised':
      // What was read before was of another answer.
      return { ...flow, advice: event.advice, read: false };
    case 'outdated':
      return flow.advice === null && !flow.read ? flow : { ...flow, advice: null, read: false };
    case 'read':
      return { ...flow, read: event.read };
    case 'sized':
      return flow.stage === 'size' && flow.read ? at(flow, flow.signedIn ? 'agent' : 'wallet') : flow;
    case 'signed': {
      const now = { ...flow, signedIn: event.in };
      if (event.in) {
        return now.stage === 'wallet' ? at(now, 'agent') : now;
      }
      return now.stage === 'agent' ? at(now, 'wallet') : now;
    }
    case 'to':
      return canGoTo(flow, event.stage) ? { ...flow, stage: event.stage } : flow;
  }
}
