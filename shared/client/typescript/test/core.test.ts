/** Asking, and what is sent and believed of it. */
import { expect, test } from 'vitest';
import { Client } from '../src/index.js';

test('an endpoint is asked by its path', async () => {
  const client = new Client({
    baseUrl: 'https://api.example.com/v1',
    apiKey: 'k',
    fetch: async (input, init) => new Response(JSON.stringify({ asked: input, body: init?.body, redirect: init?.redirect })),
  });
  expect(await client.post('/wallet-overview', { wallet: '0x1', chain: 'base' })).toEqual({
    asked: 'https://api.example.com/v1/wallet-overview',
    body: '{"wallet":"0x1","chain":"base"}',
    redirect: 'manual',
  });
});
