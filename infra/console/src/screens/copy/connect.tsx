/** Connecting a wallet and signing it in. */
import { type DiscoveredWallet, discoverWallets } from '@mirrorworthy/client/injected';
import { useEffect, useState } from 'preact/hooks';
import type { Problem } from '../../answer';
import { ProblemNote } from '../../parts/state';
import { Address } from '../../parts/text';
import { useSession } from '../../session';
import { walletProblemOf } from './problems';
import { useWallet } from './use-wallet';

type Doing = 'connecting' | 'signing' | null;

/** Asks for a wallet, then for its sign-in, and shows who is signed in. */
export function ConnectWallet() {
  const { market } = useSession();
  const desk = useWallet();
  const [doing, setDoing] = useState<Doing>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [found, setFound] = useState<DiscoveredWallet[] | null>(null);
  const [looked, setLooked] = useState(0);
  const { wallet, notice } = desk;
  useEffect(() => {
    let gone = false;
    discoverWallets().then((wallets) => {
      if (!gone) {
        setFound(wallets);
      }
    });
    return () => {
      gone = true;
    };
  }, [looked]);
  const run = async (what: Doing, call: () => Promise<void>) => {
    setDoing(what);
    setProblem(null);
    try {
      await call();
    } catch (error) {
      setProblem(walletProblemOf(error));
    } finally {
      setDoing(null);
    }
  };
  return (
    <div class="connect" aria-busy={doing !== null}>
      {notice && (
        <p class="notice" role="alert">
          {notice}
        </p>
      )}
      {wallet === null ? (
        <>
          <p>The wallet that owns the agent. It signs; the service never has its key.</p>
          {found === null ? (
            <p class="waiting" role="status">
              Looking for wallets in this browser…
            </p>
          ) : found.length === 0 ? (
            <p class="empty">
              No wallet was found in this browser.{' '}
              <button type="button" onClick={() => setLooked((n) => n + 1)}>
                Look again
              </button>
            </p>
          ) : (
            <ul class="wallets" aria-label="Wallets in this browser">
              {found.map((each) => (
                <li key={each.uuid}>
                  <button type="button" disabled={doing !== null} onClick={() => run('connecting', () => desk.connect(each))}>
                    {each.icon !== '' && <img src={each.icon} alt="" width="24" height="24" />}
                    {each.name}
                  </button>
                </li>
              ))}
            </ul>
          )}
          {market !== null && (
            <div class="throw-away">
              <button type="button" disabled={doing !== null} onClick={() => run('connecting', desk.makeThrowAway)}>
                Make a throw-away wallet
              </button>
              <p class="fine">
                For the simulated market alone: a random key in this tab’s memory. It is gone when you close or reload the tab, and nobody
                can reach its agents then.
              </p>
            </div>
          )}
          {doing === 'connecting' && (
            <p class="waiting" role="status">
              Waiting for the wallet…
            </p>
          )}
        </>
      ) : (
        <>
          <p class="row">
            <strong>{wallet.name}</strong> <Address address={wallet.address} />
            <span class={`tag tone-${wallet.client === null ? 'unknown' : 'good'}`}>
              {wallet.client === null ? 'Not signed in' : 'Signed in'}
            </span>
            <button type="button" class="quiet" onClick={desk.signOut}>
              {wallet.client === null ? 'Use another wallet' : 'Sign out'}
            </button>
          </p>
          {wallet.client === null && (
            <>
              <h3>What you sign</h3>
              <p>
                A text that begins with “{window.location.host} wants you to sign in with your Ethereum account”. It names this service,
                your address and the time, and holds for 12 hours. It moves no money, sends no transaction and permits no trade; it lets
                this tab list and manage your agents. If your wallet shows another text, say no.
              </p>
              <button type="button" class="primary" disabled={doing !== null} onClick={() => run('signing', desk.signIn)}>
                Sign in
              </button>
              {doing === 'signing' && (
                <p class="waiting" role="status">
                  Waiting for your signature…
                </p>
              )}
            </>
          )}
        </>
      )}
      {problem && <ProblemNote problem={problem} />}
    </div>
  );
}
