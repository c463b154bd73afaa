import { describe, expect, test } from 'vitest';
import { examinedWords, probability } from './board';
import { statusWords } from './track-record';
import { dollars } from './venue';

test('a probability of luck is never shown below what the service tells', () => {
  expect(probability(0.001)).toBe('at most 0.1 %');
  expect(probability(0.006)).toBe('0.6 %');
  expect(probability(0.1)).toBe('10 %');
  expect(probability(null)).toBe('not measured');
});

test('a board says how many were examined and how many of them stand', () => {
  const facts = { publishedAt: '2026-11-22T15:43:34Z', total: 90, examined: 379, mirrorWorthy: 78, note: null };
  expect(examinedWords(facts)).toMatch(
    /^Of 379 wallets examined, 78 are mirror-worthy, with luck among so many allowed for\. Published Nov 22, 2026/,
  );
  expect(examinedWords({ ...facts, examined: 1, mirrorWorthy: 1 })).toMatch(/^Of 1 wallet examined, 1 is mirror-worthy/);
  expect(examinedWords({ publishedAt: null, total: 0, note: null })).toBe('Not published yet.');
});

describe("a venue's profit", () => {
  test.each([
    [5261.77, '+$5,262'],
    [-121.86, '−$122'],
    [0, '$0'],
    [null, 'not measured'],
  ])('%s is written %s', (usd, text) => {
    expect(dollars(usd)).toBe(text);
  });
});

test('an accruing record says when its first outcome is expected', () => {
  expect(statusWords('accruing', '2026-12-03T09:54:24Z')).toMatch(/^The first outcome is expected on Dec 3, 2026, 9:54.AM UTC\./);
  expect(statusWords('accruing', null)).toMatch(/^Fewer than ten/);
  expect(statusWords('tracked', null)).toMatch(/^Ten outcomes or more/);
});
