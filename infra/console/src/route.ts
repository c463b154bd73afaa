/**
 * Where the console is: a screen and what it is about, kept in the fragment of the address, which no server sees. A link to a screen is
 * an ordinary link, so that the browser's history, new tabs and bookmarks work.
 */

/** The chains' slugs. */
export const chains = ['eth', 'base', 'bsc', 'arbitrum', 'polygon', 'optimism'] as const;
export type Chain = (typeof chains)[number];

/** The chains' EIP-155 numbers, which wallets and the venue boards speak of. */
export const chainIds = { eth: 1, base: 8453, bsc: 56, arbitrum: 42161, polygon: 137, optimism: 10 } as const satisfies Record<
  Chain,
  number
>;

export type Route =
  | { screen: 'leaderboard'; board: Board; chain?: Chain }
  | { screen: 'trader'; kind: 'spot'; chain: Chain; wallet: string }
  | { screen: 'trader'; kind: 'perp' | 'prediction'; wallet: string }
  | { screen: 'portfolio'; chain?: Chain; wallet?: string }
  | { screen: 'token'; chain?: Chain; token?: string }
  | { screen: 'copy'; leader?: string; venue?: string; chain?: Chain }
  | { screen: 'agent'; agentId: string }
  | { screen: 'unknown'; path: string };

/** The lists of the leaderboard screen. */
export const boards = ['traders', 'spot-leaders', 'strategies', 'top-traders', 'compare', 'track-record'] as const;
export type Board = (typeof boards)[number];

export const home: Route = { screen: 'leaderboard', board: 'traders' };

const addressPattern = /^0x[0-9a-fA-F]{40}$/;

/** Whether a text has the form of an address. The service decides whether it is one. */
export function isAddress(text: string): boolean {
  return addressPattern.test(text);
}

export function isChain(text: string | undefined | null): text is Chain {
  return chains.some((c) => c === text);
}

function isBoard(text: string | undefined): text is Board {
  return boards.some((b) => b === text);
}

/** Whether a fragment hands over a key instead of naming a screen. The session takes it out of the address; it is never shown. */
export function isKey(fragment: string): boolean {
  return fragment.startsWith('#key=');
}

/** Reads the fragment of an address, with or without its #. */
export function parseRoute(fragment: string): Route {
  const path = fragment.replace(/^#/, '');
  const [where = '', search = ''] = path.split('?', 2);
  const query = new URLSearchParams(search);
  const parts = where.split('/').filter((part) => part !== '');
  const [screen, a, b] = parts;
  const chain = query.get('chain');
  const unknown: Route = { screen: 'unknown', path: where };
  if (isKey(fragment)) {
    return home;
  }
  switch (screen) {
    case undefined:
      return home;
    case 'leaderboard':
      if (a !== undefined && !isBoard(a)) {
        return unknown;
      }
      return { screen, board: a ?? 'traders', ...(isChain(chain) ? { chain } : {}) };
    case 'trader':
      if (a === 'perp' || a === 'prediction') {
        return b !== undefined && isAddress(b) ? { screen, kind: a, wallet: b } : unknown;
      }
      return isChain(a) && b !== undefined && isAddress(b) ? { screen, kind: 'spot', chain: a, wallet: b } : unknown;
    case 'portfolio':
      if (a === undefined) {
        return { screen };
      }
      return isChain(a) && b !== undefined && isAddress(b) ? { screen, chain: a, wallet: b } : unknown;
    case 'token':
      if (a === undefined) {
        return { screen };
      }
      return isChain(a) && b !== undefined && isAddress(b) ? { screen, chain: a, token: b } : unknown;
    case 'copy': {
      if (a === 'agents' && b !== undefined) {
        return { screen: 'agent', agentId: decodeURIComponent(b) };
      }
      const leader = query.get('leader');
      const venue = query.get('venue');
      return a !== undefined
        ? unknown
        : {
            screen,
            ...(leader !== null && isAddress(leader) ? { leader } : {}),
            ...(venue !== null ? { venue } : {}),
            ...(isChain(chain) ? { chain } : {}),
          };
    }
    default:
      return unknown;
  }
}

/** The fragment of a route, with its #. */
export function hrefOf(route: Route): string {
  const query = new URLSearchParams();
  let path: string;
  switch (route.screen) {
    case 'leaderboard':
      path = `leaderboard/${route.board}`;
      if (route.chain) {
        query.set('chain', route.chain);
      }
      break;
    case 'trader':
      path = `trader/${route.kind === 'spot' ? route.chain : route.kind}/${route.wallet}`;
      break;
    case 'portfolio':
      path = route.wallet ? `portfolio/${route.chain}/${route.wallet}` : 'portfolio';
      break;
    case 'token':
      path = route.token ? `token/${route.chain}/${route.token}` : 'token';
      break;
    case 'copy':
      path = 'copy';
      for (const name of ['leader', 'venue', 'chain'] as const) {
        const value = route[name];
        if (value) {
          query.set(name, value);
        }
      }
      break;
    case 'agent':
      path = `copy/agents/${encodeURIComponent(route.agentId)}`;
      break;
    case 'unknown':
      path = route.path;
  }
  const search = query.toString();
  return `#/${path}${search ? `?${search}` : ''}`;
}
