import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { messageChecker } from '../../../../integrations/providers/code/postgres/message-checker.ts';

const MAX = 10_000;
const message = (code: string, body: Buffer | string) => {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(5);
  head.write(code);
  head.writeUInt32BE(bytes.length + 4, 1);
  return Buffer.concat([head, bytes]);
};

const READABLE = [
  message('R', Buffer.from([0, 0, 0, 10, 65, 0, 66, 0, 0])),
  message('S', 'TimeZone\0UTC\0'),
  message('K', Buffer.alloc(8)),
  message('Z', 'I'),
  message('E', 'SERROR\0C42P01\0Mno\0\0'),
  message('N', '\0'),
  message('C', 'SELECT 1\0'),
  message('A', Buffer.from([0, 0, 0, 1, 97, 0, 98, 0])),
  message('T', Buffer.concat([Buffer.from([0, 1, 97, 0]), Buffer.alloc(18)])),
  message('D', Buffer.from([0, 1, 0, 0, 0, 1, 65])),
];

test('messages are passed on complete, however the bytes are split', () => {
  const all = Buffer.concat(READABLE);
  fc.assert(
    fc.property(fc.array(fc.nat(all.length)), (cuts) => {
      const checked = messageChecker(MAX);
      const at = [0, ...cuts.sort((a, b) => a - b), all.length];
      const out = at.slice(1).map((end, index) => checked(all.subarray(at[index], end)));
      expect(Buffer.concat(out)).toEqual(all);
    }),
  );
});

test.each([
  message('E', 'SERROR'),
  message('E', 'SERROR\0'),
  message('E', ''),
  message('N', 'x'),
  message('C', 'SELECT 1'),
  message('S', 'TimeZone\0UTC'.replace('\0', ' ')),
  message('A', Buffer.from([0, 0, 0, 1, 97, 0, 98])),
  message('R', Buffer.from([0, 0, 0, 10, 65, 0])),
  message('R', Buffer.alloc(2)),
  message('T', Buffer.from([0, 2, 97, 0])),
  message('T', Buffer.concat([Buffer.from([255, 255, 97, 0]), Buffer.alloc(18)])),
  Buffer.from([69, 0, 0, 0, 2, 1, 1]),
  Buffer.from('HTTP/1.1 400 Bad Request'),
])('%j is refused', (bytes) => {
  expect(() => messageChecker(MAX)(bytes)).toThrow();
});
