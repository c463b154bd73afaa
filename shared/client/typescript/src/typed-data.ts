/** Whether the message of typed data (EIP-712) fits its types. Encoding and hashing it is for the wallet. */
import { isRecord, type TypedData } from './signer.js';

/** What is wrong with the domain or the message of typed data; undefined for nothing. */
export function misfit({ types, primaryType, domain, message }: TypedData): string | undefined {
  return (
    misfitOf(types, primaryType, message, 'message') ??
    ('EIP712Domain' in types ? misfitOf(types, 'EIP712Domain', domain, 'domain') : undefined)
  );
}

function misfitOf(types: TypedData['types'], type: string, value: unknown, at: string): string | undefined {
  const list = /^(.+)\[(\d*)\]$/.exec(type);
  if (list !== null) {
    const [, of = '', length = ''] = list;
    if (!Array.isArray(value) || (length !== '' && value.length !== Number(length))) {
      return `${at} is not ${type}`;
    }
    return firstOf(value.map((item, i) => () => misfitOf(types, of, item, `${at}[${i}]`)));
  }
  const fields = Object.hasOwn(types, type) ? types[type] : undefined;
  if (fields === undefined) {
    return isAtom(type, value) ? undefined : `${at} is not ${type}`;
  }
  if (!isRecord(value)) {
    return `${at} is not ${type}`;
  }
  // What is in the message and not in its types would be shown, and not be signed.
  const more = Object.keys(value).find((name) => !fields.some((field) => field.name === name));
  if (more !== undefined) {
    return `${at}.${more} is in no type`;
  }
  return firstOf(fields.map((field) => () => misfitOf(types, field.type, value[field.name], `${at}.${field.name}`)));
}

function firstOf(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const wrong = check();
    if (wrong !== undefined) {
      return wrong;
    }
  }
  return undefined;
}

/** Tells whether a value is one of a type that is made of no others. */
function isAtom(type: string, value: unknown): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'bool':
      return typeof value === 'boolean';
    case 'address':
      return typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value);
    case 'bytes':
      return isBytes(value);
  }
  const bytes = /^bytes([1-9]|[12]\d|3[0-2])$/.exec(type)?.[1];
  if (bytes !== undefined) {
    return isBytes(value) && value.length === 2 + 2 * Number(bytes);
  }
  const whole = /^(u?)int(\d{0,3})$/.exec(type);
  return whole !== null && isWhole(value, whole[1] === 'u', Number(whole[2] || 256));
}

function isBytes(value: unknown): value is string {
  return typeof value === 'string' && /^0x([0-9a-fA-F]{2})*$/.test(value);
}

/** Tells whether a value is a whole number of so many bits: a number that is held exactly, or text in decimals or hexadecimal with 0x. */
function isWhole(value: unknown, unsigned: boolean, bits: number): boolean {
  const written = typeof value === 'string' && /^(-?\d+|0x[0-9a-fA-F]+)$/.test(value);
  if (!(written || Number.isSafeInteger(value)) || bits === 0 || bits > 256 || bits % 8 !== 0) {
    return false;
  }
  const number = BigInt(value as string | number);
  return unsigned ? BigInt.asUintN(bits, number) === number : BigInt.asIntN(bits, number) === number;
}
