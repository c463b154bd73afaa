/** The wallet of whoever copies, and what can be done with it. */
import type { Client } from '@mirrorworthy/client';
import type { DiscoveredWallet } from '@mirrorworthy/client/injected';
import { type Asked, useAnswer } from '../../answer';
import { useSession } from '../../session';
import { connectInjected, left, makeThrowAway, needsSignIn, signIn, type Wallet } from './wallet';

export type WalletDesk = {
  wallet: Wallet | null;
  notice: string | null;
  connect: (found: DiscoveredWallet) => Promise<void>;
  makeThrowAway: () => Promise<void>;
  signIn: () => Promise<void>;
  /** Lets go of the wallet. */
  signOut: () => void;
  /** Takes note of an error: where it says that the sign-in has ended, the wallet must sign in again. */
  noteOf: (error: unknown) => void;
};

export function useWallet(): WalletDesk {
  const { walletState, setWalletState, baseUrl, key, market, refreshMarket, now } = useSession();
  const { wallet, notice } = walletState;
  const hold = (next: Wallet | null, why: string | null) =>
    setWalletState((before) => {
      before.wallet?.release();
      return { wallet: next, notice: why };
    });
  return {
    wallet,
    notice,
    connect: async (found) => hold(await connectInjected(found.provider, found.name, (why) => hold(null, why)), null),
    makeThrowAway: async () => hold(await makeThrowAway((length) => crypto.getRandomValues(new Uint8Array(length))), null),
    signIn: async () => {
      if (wallet === null || key === null) {
        return;
      }
      if (market !== null) {
        // The sign-in is dated by the service's clock, which somebody may have moved.
        await refreshMarket();
      }
      const signed = await signIn(wallet, baseUrl, key, now);
      setWalletState((before) => (before.wallet?.signer === wallet.signer ? { wallet: signed, notice: null } : before));
    },
    signOut: () => hold(null, null),
    noteOf: (error) => {
      if (needsSignIn(error)) {
        setWalletState((before) => (before.wallet === null ? before : { wallet: { ...before.wallet, client: null }, notice: left.ended }));
      }
    },
  };
}

/** Asks with the wallet signed in. Without that it asks nothing. */
export function useWalletAnswer<T>(question: string | null, ask: (client: Client, signal: AbortSignal) => Promise<T>): Asked<T> {
  const { wallet, noteOf } = useWallet();
  const client = wallet?.client ?? null;
  return useAnswer(client === null || question === null ? null : `${wallet?.address} ${question}`, async (_, signal) => {
    if (client === null) {
      throw new Error('no wallet is signed in');
    }
    try {
      return await ask(client, signal);
    } catch (error) {
      if (!signal.aborted) {
        noteOf(error);
      }
      throw error;
    }
  });
}
