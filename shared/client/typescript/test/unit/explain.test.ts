/** What a person is shown of a step. */
import { expect, test } from 'vitest';
import { costLabel, explainStep } from '../../src/index.js';

test.each([
  ['none', 'no gas'],
  ['gas', 'network fee'],
  ['gas-sponsored', 'network fee (may be covered)'],
  ['', 'network fee'],
  ['new', 'network fee'],
  [undefined, 'network fee'],
])('the cost %s is shown as %s', (cost, want) => {
  expect(costLabel(cost)).toBe(want);
});

test('a step is explained in the words of the service', () => {
  const said = { kind: 'sign_message', title: 'a', what: 'b', why: 'c', safety: 'd', cost: 'none', walletShows: 'e' };
  expect(explainStep(said)).toEqual({ title: 'a', what: 'b', why: 'c', safety: 'd', cost: 'no gas', walletShows: 'e' });
});

test('a step without words is explained in general ones', () => {
  const titles = new Set<string>();
  for (const kind of ['sign_message', 'sign_typed_data', 'send_transaction', 'scan_eye', 'toString']) {
    const general = explainStep({ kind, title: '' });
    titles.add(general.title);
    expect(Object.values(general).every((words) => words !== '')).toBe(true);
    expect(general).toMatchObject({
      cost: 'network fee',
      safety: 'The service gave no safety statement for this step. Go on only if what your wallet shows is what you want.',
    });
    // One word of the service leaves the others general.
    expect(explainStep({ kind, why: 'c' })).toEqual({ ...general, why: 'c' });
  }
  // Kinds that are not known have one title between them.
  expect(titles.size).toBe(4);
});
