import fc from 'fast-check';
import { findInexactIntegers } from '../../domain/inexact-integers.ts';

const inexactIn = (json: string) => findInexactIntegers(json, JSON.parse(json)).map(({ path }) => path);

test.each([
  '9007199254740993',
  '-9007199254740993',
  '9007199254740993e0',
  '9007199254740993.0',
  '900719925474099.3e1',
  '90071992547409930e-1',
  '0.9007199254740993e16',
  '12345678901234567890',
  '1152921504606846977',
  '100000000000000000000001',
  `1${'0'.repeat(250)}1`,
  `9007199254740993.${'0'.repeat(100_000)}`,
])('%p is reported', (number) => {
  expect(inexactIn(`{"a":[0,${number}]}`)).toEqual(['a.1']);
});

test.each([
  '9007199254740991',
  '9007199254740992',
  '9007199254740994',
  '1152921504606846976',
  '1152921504606847000',
  '100000000000000000000',
  '1e20',
  '1e+23',
  '6.02214076e23',
  '1.7976931348623157e308',
  '0.1',
  '0.30000000000000004441',
  '123456789.1234567890123',
  '1e-400',
  '0.0000000000000000000',
  '-0',
  `0.${'0'.repeat(400_000)}1`,
  `1${'0'.repeat(200)}1e-150`,
])('%p is not reported', (number) => {
  expect(inexactIn(`{"a":[0,${number}]}`)).toEqual([]);
});

test('digits in strings and names are ignored, also if they are escaped', () => {
  const nasty = ['9007199254740993', '"', '\\', '\\"', '\\\\"9007199254740993', ',9007199254740993,'];
  for (const text of nasty) expect(inexactIn(JSON.stringify({ [text]: text, list: [text, { [text]: [text] }] }))).toEqual([]);
  const found = inexactIn(`{${JSON.stringify('\\"')}:{${JSON.stringify('a"b\\')}:9007199254740993}}`);
  expect(found).toEqual(['\\".a"b\\']);
});

test.each(['9'.repeat(309), '1797693134862315807999e287', '1e400', `-1${'0'.repeat(400)}`])(
  '%p exceeds the range of doubles and is not reported',
  (number) => {
    expect(inexactIn(`{"a":${number}}`)).toEqual([]);
    expect(inexactIn(`{"a":${number},"a":1}`)).toEqual([]);
    expect(inexactIn(`[${number},9007199254740993]`)).toEqual(['1']);
  },
);

test('a number that a repeated name overrides is ignored', () => {
  expect(inexactIn('{"a":9007199254740993,"a":1}')).toEqual([]);
  expect(inexactIn('{"a":1,"a":9007199254740993}')).toEqual(['a']);
});

test('an integer is reported if its double and the double’s text both differ from it', () => {
  const isKept = (integer: bigint) =>
    BigInt(Number(integer)) === integer || BigInt(Number(integer)).toString() === integer.toString() || writes(Number(integer), integer);
  const integers = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
  const near = fc
    .tuple(fc.integer({ min: 50, max: 120 }), fc.integer({ min: -3, max: 3 }))
    .map(([bits, by]) => 2n ** BigInt(bits) + BigInt(by));
  fc.assert(
    fc.property(fc.array(fc.oneof(integers, near), { maxLength: 20 }), (list) => {
      const expected = list.flatMap((integer, index) => (isKept(integer) ? [] : String(index)));
      expect(inexactIn(`[${list.join(',')}]`)).toEqual(expected);
    }),
  );
});

test('JSON written from doubles has no inexact integer', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => expect(inexactIn(JSON.stringify(value))).toEqual([])));
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) =>
      expect(inexactIn(`[${JSON.stringify(value)}]`)).toEqual([]),
    ),
  );
});

function writes(double: number, integer: bigint): boolean {
  const [mantissa = '', exponent = '0'] = String(Math.abs(double)).split('e+');
  const digits = mantissa.replace('.', '');
  const zeros = Number(exponent) - (mantissa.split('.')[1]?.length ?? 0);
  const written = BigInt(digits) * 10n ** BigInt(Math.max(0, zeros));
  return (double < 0 ? -written : written) === integer;
}
