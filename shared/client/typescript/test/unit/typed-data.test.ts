/** Whether messages fit their types. */
import { expect, test } from 'vitest';
import type { TypedData } from '../../src/index.js';
import { misfit } from '../../src/typed-data.js';

function of(type: string, value: unknown): TypedData {
  return {
    types: { Outer: [{ name: 'v', type }], Inner: [{ name: 'n', type: 'uint8' }] },
    primaryType: 'Outer',
    domain: {},
    message: { v: value },
  };
}

test.each<[string, unknown]>([
  ['string', ''],
  ['bool', false],
  ['address', `0x${'aB'.repeat(20)}`],
  ['bytes', '0x'],
  ['bytes', '0x00ff'],
  ['bytes1', '0xff'],
  ['bytes32', `0x${'00'.repeat(32)}`],
  ['uint8', 255],
  ['uint8', '0xff'],
  ['int8', -128],
  ['int8', '127'],
  ['uint', '115792089237316195423570985008687907853269984665640564039457584007913129639935'],
  ['uint256', 9007199254740991],
  ['Inner', { n: 1 }],
  ['Inner[]', []],
  ['Inner[2][]', [[{ n: 1 }, { n: 2 }]]],
  ['string[1]', ['a']],
])('%s can be %j', (type, value) => {
  expect(misfit(of(type, value))).toBeUndefined();
});

test.each<[string, unknown]>([
  ['string', 5],
  ['string', undefined],
  ['bool', 'false'],
  ['bool', 1],
  ['address', `0x${'a'.repeat(39)}`],
  ['address', 1],
  ['bytes', '0x0'],
  ['bytes', 'ff'],
  ['bytes1', '0x'],
  ['bytes1', '0xffff'],
  ['bytes33', `0x${'00'.repeat(33)}`],
  ['bytes0', '0x'],
  ['uint8', 256],
  ['uint8', -1],
  ['uint8', 1.5],
  ['uint8', '1e1'],
  ['uint8', ' 1'],
  ['uint8', null],
  ['int8', 128],
  ['int8', -129],
  ['uint7', 1],
  ['uint264', 1],
  ['uint256', 2 ** 53],
  ['fixed', 1],
  ['Other', {}],
  ['toString', {}],
  ['Inner', []],
  ['Inner', { n: 1, more: 2 }],
  ['Inner', {}],
  ['Inner[]', {}],
  ['Inner[]', [{ n: 300 }]],
  ['Inner[2]', [{ n: 1 }]],
])('%s cannot be %j', (type, value) => {
  expect(misfit(of(type, value))).toMatch(/^message\.v/);
});

test('a domain is held against its type, where it has one', () => {
  const data = of('bool', true);
  const types = { ...data.types, EIP712Domain: [{ name: 'chainId', type: 'uint256' }] };
  expect(misfit({ ...data, types, domain: { chainId: 1 } })).toBeUndefined();
  expect(misfit({ ...data, types, domain: { chainId: 'one' } })).toBe('domain.chainId is not uint256');
  expect(misfit({ ...data, types, domain: {} })).toBe('domain.chainId is not uint256');
  expect(misfit({ ...data, types, domain: { chainId: 1, name: 'x' } })).toBe('domain.name is in no type');
});
