/** The frame around every screen: navigation, the key, and the screen that the address names. */
import { lazy, Suspense } from 'preact/compat';
import { useEffect, useRef, useState } from 'preact/hooks';
import { hrefOf, parseRoute, type Route } from './route';
import { Gate } from './screens/gate';
import { Leaderboard } from './screens/leaderboard';
import { useSession } from './session';

const Trader = lazy(() => import('./screens/trader').then((m) => m.Trader));
const Portfolio = lazy(() => import('./screens/portfolio').then((m) => m.Portfolio));
const Token = lazy(() => import('./screens/token').then((m) => m.Token));
const Copy = lazy(() => import('./screens/copy').then((m) => m.Copy));

const screens: { name: string; to: Route; is: Route['screen'][] }[] = [
  { name: 'Leaderboard', to: { screen: 'leaderboard', board: 'traders' }, is: ['leaderboard', 'trader'] },
  { name: 'Token', to: { screen: 'token' }, is: ['token'] },
  { name: 'Portfolio', to: { screen: 'portfolio' }, is: ['portfolio'] },
  { name: 'Copy', to: { screen: 'copy' }, is: ['copy', 'agent'] },
];

const titles: Record<Route['screen'], string> = {
  leaderboard: 'Leaderboard',
  trader: 'Trader',
  token: 'Token',
  portfolio: 'Portfolio',
  copy: 'Copy',
  agent: 'Copy agent',
  unknown: 'Not found',
};

function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(window.location.hash));
  useEffect(() => {
    const changed = () => setRoute(parseRoute(window.location.hash));
    window.addEventListener('hashchange', changed);
    return () => window.removeEventListener('hashchange', changed);
  }, []);
  return route;
}

export function App() {
  const { client, market, setKey } = useSession();
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  const place = hrefOf(route);
  // Whoever hears the page, or uses the keyboard, begins a new screen at its beginning.
  useEffect(() => {
    document.title = `${titles[route.screen]} · Mirrorworthy`;
    if (first.current) {
      first.current = false;
      return;
    }
    window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [place]);
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        To the content
      </button>
      <header class="top">
        <a class="brand" href={hrefOf({ screen: 'leaderboard', board: 'traders' })}>
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <path d="M7 22V10l5 6 4-5v11M25 22V10l-5 6-4-5" />
          </svg>
          Mirrorworthy
        </a>
        <nav aria-label="Screens">
          {screens.map((screen) => (
            <a key={screen.name} href={hrefOf(screen.to)} aria-current={screen.is.includes(route.screen) ? 'page' : undefined}>
              {screen.name}
            </a>
          ))}
        </nav>
        {client && (
          <button type="button" class="quiet forget" onClick={() => setKey(null)}>
            Forget key
          </button>
        )}
      </header>
      {market && (
        <aside class="banner" aria-label="Simulated market">
          A simulated market: its wallets, tokens and prices are made up.
        </aside>
      )}
      <main id="main" tabIndex={-1} ref={main}>
        {client === null ? (
          <Gate />
        ) : (
          <Suspense
            fallback={
              <p class="waiting" role="status">
                Loading…
              </p>
            }
          >
            <Screen route={route} />
          </Suspense>
        )}
      </main>
      <footer class="bottom">
        <p>
          Grades describe the past, with how sure we are of them; nothing here is advice. Unknown never means bad, and “not measured” never
          means zero.
        </p>
        <p>
          <a href="/v1/openapi.json">API document</a>
        </p>
      </footer>
    </>
  );
}

function Screen(props: { route: Route }) {
  const { route } = props;
  switch (route.screen) {
    case 'leaderboard':
      return <Leaderboard route={route} />;
    case 'trader':
      return <Trader key={hrefOf(route)} route={route} />;
    case 'portfolio':
      return <Portfolio key={hrefOf(route)} route={route} />;
    case 'token':
      return <Token key={hrefOf(route)} route={route} />;
    case 'copy':
    case 'agent':
      return <Copy route={route} />;
    case 'unknown':
      return (
        <section class="card">
          <h1>There is nothing here</h1>
          <p>
            The address <code>{route.path}</code> names no screen, or an address or a chain in it is not one.{' '}
            <a href={hrefOf({ screen: 'leaderboard', board: 'traders' })}>To the leaderboard</a>
          </p>
        </section>
      );
  }
}
