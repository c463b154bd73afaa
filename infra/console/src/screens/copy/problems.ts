/** What went wrong with a wallet or an activation, for people. */
import {
  NotActivatedError,
  PendingError,
  RevertedError,
  SignInError,
  StepError,
  UnknownStepError,
  UserRefusedError,
  WalletError,
} from '@mirrorworthy/client';
import { type Problem, problemOf } from '../../answer';
import { left, needsSignIn } from './wallet';

function told(code: string, message: string): Problem {
  return { message, code, requestId: null, retryAfterSeconds: null };
}

/** Tells people what an error means that came of a wallet, or of the service while a wallet was asked. */
export function walletProblemOf(error: unknown): Problem {
  if (needsSignIn(error)) {
    return { ...problemOf(error), message: left.ended, code: 'wallet_signature_invalid' };
  }
  if (error instanceof StepError || error instanceof SignInError) {
    return walletProblemOf(error.cause);
  }
  if (error instanceof UserRefusedError) {
    return told('refused_in_wallet', 'You said no in the wallet, so this was not done. You can try again whenever you like.');
  }
  if (error instanceof UnknownStepError) {
    return told('unknown_step', 'The service asks for a kind of step that this console does not know, so nothing of it was signed.');
  }
  if (error instanceof RevertedError) {
    return told(
      'transaction_reverted',
      `The transaction ${error.hash} is in a block and did nothing. Its network fee was paid. You can try again.`,
    );
  }
  if (error instanceof PendingError) {
    return told('transaction_pending', `The transaction ${error.hash} was sent and is in no block yet. Look it up before you try again.`);
  }
  if (error instanceof NotActivatedError) {
    return told('not_activated', `The activation ended without an active agent: ${error.message}.`);
  }
  if (error instanceof WalletError) {
    return told('wallet_failed', `The wallet did not do it: ${error.message}.`);
  }
  return problemOf(error);
}
