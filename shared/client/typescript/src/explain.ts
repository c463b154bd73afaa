/** What to show a person before a step of an activation is done. */
import type { Schemas } from './schemas.js';

/** One thing that a wallet is asked to do for an agent to be active. Of message, typedData and transaction the one of its kind is there. */
export type Step = Schemas['ActivationStep'];

/** What to show of a step. `safety` is a commitment and is to be shown word by word. */
export interface Explanation {
  title: string;
  what: string;
  why: string;
  safety: string;
  cost: CostLabel;
  walletShows: string;
}

/** The labels of costs. */
export type CostLabel = 'no gas' | 'network fee' | 'network fee (may be covered)';

/** What to show for a step's cost. A cost that is not known is shown as a fee: nobody is to find one that was not announced. */
export function costLabel(cost: string | undefined): CostLabel {
  switch (cost) {
    case 'none':
      return 'no gas';
    case 'gas-sponsored':
      return 'network fee (may be covered)';
  }
  return 'network fee';
}

type Words = Omit<Explanation, 'cost'>;

const anyStep: Words = {
  title: 'Confirm in your wallet',
  what: 'The service asks your wallet to do something that this version of the app does not know.',
  why: 'It is part of the activation of your agent.',
  // None is made up where the service gave no safety line.
  safety: 'The service gave no safety statement for this step. Go on only if what your wallet shows is what you want.',
  walletShows: 'Read what your wallet shows. If you do not understand it, say no.',
};

const byKind: { readonly [kind: string]: Partial<Words> } = {
  sign_message: {
    title: 'Sign a message',
    what: 'Your wallet signs a text. That sends no transaction.',
    walletShows: 'The text of the message. If it is not what you were told, say no.',
  },
  sign_typed_data: {
    title: 'Sign a permission',
    what: 'Your wallet signs a permission. That sends no transaction, and what it permits is in its fields.',
    walletShows: 'The fields of the permission. If they are not what you were told, say no.',
  },
  send_transaction: {
    title: 'Send a transaction',
    what: 'Your wallet sends a transaction to the network.',
    walletShows: 'The address that is called, the amount, and the network fee. If they are not what you were told, say no.',
  },
};

/** What is read of a step to explain it. */
export type Explainable = { kind: string } & { [Word in keyof Words | 'cost']?: string | undefined };

/** What to show of a step: the service's own words, and where there are none, what can be said of any step of its kind. */
export function explainStep(step: Explainable): Explanation {
  const general = { ...anyStep, ...byKind[step.kind] };
  return {
    title: step.title || general.title,
    what: step.what || general.what,
    why: step.why || general.why,
    safety: step.safety || general.safety,
    cost: costLabel(step.cost),
    walletShows: step.walletShows || general.walletShows,
  };
}
