/** Where requests may go. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseBaseUrl } from '../../src/base-url.js';
import { Client, getAuthHeaders, OptionsError } from '../../src/index.js';
import { testWallet } from './double.js';

test.each([
  '',
  '/v1',
  '//api.example.com/v1',
  'api.example.com/v1',
  'https://api.example.com',
  'https://api.example.com/v2',
  'https://api.example.com/v1?a=b',
  'https://api.example.com/v1?',
  'https://api.example.com/v1#',
  'https://u:p@api.example.com/v1',
  'http://api.example.com/v1',
  'http://127.0.0.1.example.com/v1',
  'http://localhost.example.com/v1',
  'ftp://api.example.com/v1',
  'https:///v1',
  'mailto:a@b/v1',
  'https://api.example.com/x%2fy/v1',
  'https://api.example.com\\v1',
  ' https://api.example.com/v1',
  'https://exa mple.com/v1',
  'https://[::g]/v1',
  '::',
])('%j is refused', (baseUrl) => {
  expect(() => new Client({ baseUrl, apiKey: 'k' })).toThrow(OptionsError);
  expect(() => getAuthHeaders({ baseUrl, address: testWallet, chainId: 1, signMessage: async () => '0x' })).toThrow(OptionsError);
});

test.each([
  ['https://api.example.com/v1', 'https://api.example.com/v1'],
  ['https://example.com/api/v1/', 'https://example.com/api/v1'],
  ['http://localhost:8080/v1', 'http://localhost:8080/v1'],
  ['http://127.0.0.1/v1', 'http://127.0.0.1/v1'],
  ['http://127.9.9.9:1/v1', 'http://127.9.9.9:1/v1'],
  ['http://[::1]:80/v1', 'http://[::1]/v1'],
])('%s is taken', (baseUrl, want) => {
  expect(parseBaseUrl(baseUrl).href).toBe(want);
});

test('whatever is taken keeps the key on an encrypted line or on this machine', () => {
  const part = fc.oneof(
    fc.constantFrom(
      'https:',
      'http:',
      '//',
      '/',
      '\\',
      '@',
      ':',
      '?',
      '#',
      '%2f',
      '..',
      'v1',
      'localhost',
      '127.0.0.1',
      '[::1]',
      'a.example',
    ),
    fc.string({ maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 9 }), (parts) => {
      let base: URL;
      try {
        base = parseBaseUrl(`${parts.join('')}/v1`);
      } catch (error) {
        expect(error).toBeInstanceOf(OptionsError);
        return;
      }
      expect(base.protocol === 'https:' || /^(localhost|127\.[\d.]+|\[::1\])$/.test(base.hostname)).toBe(true);
      expect(base.href).toMatch(/^https?:\/\/[^/?#@]+(\/[^?#]*)?\/v1$/);
    }),
    { numRuns: 2000 },
  );
});
