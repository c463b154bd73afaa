/** What the package promises besides its behaviour: its types, its parts, and its README. */
import { readFile } from 'node:fs/promises';
import { expect, expectTypeOf, test } from 'vitest';
import type { Answer, Body, Client, GetPath, Leader, PostPath, Query } from '../../src/index.js';

const folder = new URL('../../', import.meta.url);

/** The packages that a module needs, by itself and by those of ours that it imports. */
async function packagesOf(path: string, seen: Set<string> = new Set()): Promise<Set<string>> {
  const found = new Set<string>();
  if (seen.has(path)) {
    return found;
  }
  seen.add(path);
  const text = await readFile(new URL(path, folder), 'utf8');
  for (const [, from = ''] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)';/gms)) {
    const next = from.startsWith('./') ? await packagesOf(`src/${from.slice(2).replace(/\.js$/, '.ts')}`, seen) : [from];
    for (const name of next) {
      found.add(name);
    }
  }
  return found;
}

test('nobody pays for viem who does not use it', async () => {
  expect([...(await packagesOf('src/index.ts'))]).toEqual(['@noble/hashes/sha3.js']);
  expect([...(await packagesOf('src/injected.ts'))]).toEqual([]);
  expect([...(await packagesOf('src/local-wallet.ts'))]).toContain('viem');
});

test('the README shows the example that is run', async () => {
  expect(await readFile(new URL('README.md', folder), 'utf8')).toContain(await readFile(new URL('example/copy-leader.ts', folder), 'utf8'));
});

test('paths have the types of the API document', () => {
  expectTypeOf<'/usage' | '/copy/leaders' | '/trader-board'>().toExtend<GetPath>();
  expectTypeOf<'/wallet-overview' | '/perp-wallet' | '/webhooks/test'>().toExtend<PostPath>();
  // What needs a wallet or an ID has an operation of its own.
  expectTypeOf<Extract<GetPath, `/copy/agents${string}`>>().toEqualTypeOf<never>();
  expectTypeOf<Extract<PostPath, `/copy/agents${string}`>>().toEqualTypeOf<never>();
  expectTypeOf<Query<'/copy/leaders'>['venue']>().toEqualTypeOf<Leader['venue']>();
  expectTypeOf<Body<'/trader-score'>>().toExtend<{ wallet: string; chain: string }>();
  expectTypeOf<Answer<'TraderScoreAnswer'>['grade']>().toEqualTypeOf<'A' | 'B' | 'C' | 'D' | 'F' | null>();
  expectTypeOf<Answer<'MirroringExecution'>['sizeUsd']>().toEqualTypeOf<string | null>();
});

test('what the API document does not have is no call', () => {
  const request = { venue: 'perpvenue-perps', smartAccountAddress: '0x', leaderWalletAddress: '0x' } as const;
  const asks = [
    // @ts-expect-error the venue is needed
    (client: Client) => client.get('/copy/leaders'),
    // @ts-expect-error it needs a wallet
    (client: Client) => client.get('/copy/agents'),
    // @ts-expect-error there is no such parameter
    (client: Client) => client.post('/trader-score', { wallet: '0x', chain: 'base', asOf: '2026-01-01' }),
    // @ts-expect-error there is no such path
    (client: Client) => client.get('/leaderboard'),
    // @ts-expect-error money is text
    (client: Client) => client.createAgent({ ...request, riskConfig: { maxUsd: 250, copyPercent: 1 } }),
  ];
  expect(asks).toHaveLength(5);
});
