import { openProgram, sealProgram } from '../../../../commands/code-runs/plan/sealed-program.ts';
import { openTokens } from '../../../../infra/tokens.ts';

const tokens = openTokens('a pepper of enough length for a test of the seal');
const run = { id: 'crun_1', codeHash: 'hash of the code' };
const program = { code: 'return 1', lineLengths: [8], syntaxError: null, shift: { line: 0, columns: 0 }, imports: [] };

test('opening a sealed program returns the program unchanged', () => {
  expect(openProgram({ tokens }, run, sealProgram({ tokens }, run, program))).toEqual(program);
});

test('a sealed program does not open if it is changed, or for another run, code or key', () => {
  const sealed = sealProgram({ tokens }, run, program);
  const changed = Buffer.from(sealed);
  changed[changed.indexOf('return 1') + 7] = '2'.charCodeAt(0);
  expect(openProgram({ tokens }, { ...run, id: 'crun_2' }, sealed)).toBeUndefined();
  expect(openProgram({ tokens }, { ...run, codeHash: 'another' }, sealed)).toBeUndefined();
  expect(openProgram({ tokens }, run, changed)).toBeUndefined();
  expect(openProgram({ tokens: openTokens('another pepper of enough length for this test') }, run, sealed)).toBeUndefined();
  for (const nothing of [null, Buffer.alloc(0), Buffer.alloc(32)]) expect(openProgram({ tokens }, run, nothing)).toBeUndefined();
});
