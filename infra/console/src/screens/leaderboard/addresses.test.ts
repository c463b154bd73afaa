import { expect, test } from 'vitest';
import { readAddresses } from './addresses';

const a = `0x${'a1'.repeat(20)}`;
const b = `0x${'b2'.repeat(20)}`;

test('addresses are read however they are set apart', () => {
  expect(readAddresses(` ${a},${b}\n`)).toEqual({ addresses: [a, b], wrong: [], repeated: 0 });
  expect(readAddresses(`${a};\r\n\t${b}`).addresses).toEqual([a, b]);
  expect(readAddresses('')).toEqual({ addresses: [], wrong: [], repeated: 0 });
});

test('an address in other letters is the same, and is asked once', () => {
  const shouted = `0x${'A1'.repeat(20)}`;
  expect(readAddresses(`${a} ${shouted} ${b} ${a}`)).toEqual({ addresses: [a, b], wrong: [], repeated: 2 });
});

test('what is no address is kept to be told', () => {
  expect(readAddresses(`${a} 0x12 vitalik ${b}0`)).toEqual({ addresses: [a], wrong: ['0x12', 'vitalik', `${b}0`], repeated: 0 });
});
