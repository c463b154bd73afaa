/**
 * What holds for the whole visit: the partner's key and the client made of it, in memory alone, and the sample market where there is one.
 * Nothing here is written to storage, cookies or the address: with the tab, it is gone.
 */
import { Client } from '@mirrorworthy/client';
import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isKey } from './route';
import type { WalletState } from './screens/copy/wallet';

/** A wallet or a token of the sample market. */
export type Sample = { address: string; chain: string; kind: string; about: string };

/** What GET /sample tells: only a service on one machine has it. */
export type SampleMarket = {
  wallets: Sample[];
  tokens: Sample[];
  perps: Sample[];
  predictions: Sample[];
  accountFactory: string;
  now: string;
};

export type Session = {
  /** Null without a key. */
  client: Client | null;
  /** The address of the API, ending in /v1. */
  baseUrl: string;
  /** Takes a key, or null to forget it. */
  setKey: (key: string | null) => void;
  /** The key, for clients with a wallet signed in. */
  key: string | null;
  /** Null where there is none, or not known yet. */
  market: SampleMarket | null;
  /** Asks GET /sample again, for its time. */
  refreshMarket: () => Promise<SampleMarket | null>;
  /** Why the key was given up, to say beside the field for another. */
  refused: string | null;
  refuse: (why: string) => void;
  /** The wallet of whoever copies, signed in or not. */
  walletState: WalletState;
  setWalletState: (next: WalletState | ((before: WalletState) => WalletState)) => void;
  /** Tells the service's time in milliseconds since 1970. */
  now: () => number;
};

const noWallet: WalletState = { wallet: null, notice: null };

const SessionContext = createContext<Session | null>(null);

/** The session of the components within a SessionProvider. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) {
    throw new Error('there is no session here');
  }
  return session;
}

/**
 * Takes a sample market's key out of the address (#key=mw_test_…), where `make run` puts it, and clears it from there. A live key is not
 * taken from an address: browsers remember addresses.
 */
export function takeKey(location: Location, history: History): string | null {
  const found = /^#key=(mw_test_[0-9A-Za-z]+)$/.exec(location.hash);
  if (isKey(location.hash)) {
    history.replaceState(null, '', `${location.pathname}${location.search}`);
  }
  return found?.[1] ?? null;
}

async function readMarket(): Promise<SampleMarket | null> {
  try {
    const answer = await fetch('/sample', { headers: { Accept: 'application/json' }, credentials: 'omit' });
    if (!answer.ok || !answer.headers.get('Content-Type')?.startsWith('application/json')) {
      return null;
    }
    return (await answer.json()) as SampleMarket;
  } catch {
    return null;
  }
}

export function SessionProvider(props: { initialKey: string | null; children: ComponentChildren }) {
  const [key, setKey] = useState(props.initialKey);
  const [refused, setRefused] = useState<string | null>(null);
  const [market, setMarket] = useState<SampleMarket | null>(null);
  const [walletState, setWalletState] = useState<WalletState>(noWallet);
  const clock = useRef(0);
  const now = useCallback(() => Date.now() + clock.current, []);
  const baseUrl = `${window.location.origin}/v1`;
  const refreshMarket = async () => {
    const read = await readMarket();
    if (read !== null) {
      clock.current = Date.parse(read.now) - Date.now();
    }
    setMarket(read);
    return read;
  };
  useEffect(() => {
    void refreshMarket();
  }, []);
  const client = useMemo(() => (key === null ? null : new Client({ baseUrl, apiKey: key })), [key, baseUrl]);
  // A sign-in holds for the partner whose key was used.
  const forgetWallet = () => {
    walletState.wallet?.release();
    setWalletState(noWallet);
  };
  const session: Session = {
    client,
    baseUrl,
    key,
    market,
    refreshMarket,
    refused,
    setKey: (next) => {
      setRefused(null);
      setKey(next);
      forgetWallet();
    },
    refuse: (why) => {
      setRefused(why);
      setKey(null);
      forgetWallet();
    },
    walletState,
    setWalletState,
    now,
  };
  // An address with a key may be opened where the console is open already: the page stays then, and only the fragment changes.
  useEffect(() => {
    const handedOver = () => {
      const taken = takeKey(window.location, window.history);
      if (taken !== null) {
        session.setKey(taken);
      }
    };
    window.addEventListener('hashchange', handedOver);
    return () => window.removeEventListener('hashchange', handedOver);
  });
  return <SessionContext.Provider value={session}>{props.children}</SessionContext.Provider>;
}
