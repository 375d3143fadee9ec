import { writeCsvRow } from '../../../../api/pages/app/activity/write-csv-row.ts';

test.each([
  ['=1+1', "'=1+1"],
  ['x;=1+1', "x;'=1+1"],
  ['x\n-1', '"x\n\'-1"'],
  ['\t=1', "'\t'=1"],
  ['a;b, "c"', '"a;b, ""c"""'],
  ['1=1; a-b', '1=1; a-b'],
])('%j is no formula in a spreadsheet, with any separator', (cell, expected) => {
  expect(writeCsvRow([cell])).toBe(`${expected}\r\n`);
});
