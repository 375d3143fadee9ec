/**
 * A line of a CSV file (RFC 4180). What a spreadsheet would take for a formula begins with an
 * apostrophe (OWASP, CSV Injection): a cell, and the text behind a semicolon, a tab or a line
 * break, where spreadsheets of some languages begin a cell. Null is an empty cell.
 */
export function writeCsvRow(cells: readonly (string | number | null)[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}

/** The wide forms are formulas too in East Asian versions of spreadsheets. */
const FORMULA = /^(?=[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])|(?<=[;\t\r\n])(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

function writeCell(cell: string | number | null): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = cell.replace(FORMULA, "'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
