import type { HostileProgram } from '../hostile-program.ts';

/**
 * Programs with unusual source text: brackets that close a possible wrapper, and characters that
 * parsers treat differently.
 */
export const SOURCE_TEXT: HostileProgram[] = [
  { what: 'closing the wrapping function', code: '}); globalThis.evil = 1; (async () => {', ends: ['CODE_SYNTAX_ERROR'] },
  {
    what: 'closing the wrapping function with one brace',
    code: 'return 1 } async function x() { while (true); return 2',
    ends: ['CODE_SYNTAX_ERROR'],
  },
  { what: 'closing the parameters of the wrapping function', code: ') { return process } (', ends: ['CODE_SYNTAX_ERROR'] },
  { what: 'closing a template', code: '`; return process.env; `', ends: { returns: null } },
  {
    what: 'closing the call that wraps a bare arrow function',
    code: 'async () => 1)(process), (globalThis.x = async () => 2',
    ends: ['CODE_SYNTAX_ERROR'],
  },
  { what: 'a bare arrow function that ends in a comment', code: 'async () => 5 // )(svc); throw 1', ends: { returns: 5 } },
  {
    what: 'a bare arrow function inside comments and fences',
    code: '```js\n/* } */ async () => { return 6 /* ``` */ }\n```',
    ends: { returns: 6 },
  },
  { what: 'a comment that is not closed', code: 'return 1; /* the rest', ends: ['CODE_SYNTAX_ERROR'] },
  { what: 'comments as in HTML', code: '<!-- return 2\nreturn 1\n--> return 3', ends: { returns: 1 } },
  { what: 'a hashbang', code: '#!/usr/bin/env node\nreturn process', ends: ['CODE_SYNTAX_ERROR'] },
  {
    what: 'line separators of Unicode inside and outside strings',
    code: 'const a = "\u2028}";\u2029return a.length // \u2028+ 1',
    ends: { returns: 3 },
  },
  {
    what: 'bidirectional control characters',
    code: 'const isAdmin = false; /*\u202e } \u2066if (isAdmin)\u2069 \u2066 */ return isAdmin',
    ends: { returns: false },
  },
  { what: 'NUL and a byte order mark', code: '\uFEFFreturn "\u0000".length', ends: { returns: 1 } },
  { what: 'half a character', code: 'return "\ud800".length + "\udfff".length', ends: 'anyhow' },
  { what: 'escapes in names', code: 'return typeof \\u0070rocess + typeof \\u{67}lobal', ends: { returns: 'objectundefined' } },
  {
    what: 'a sourceURL comment',
    code: 'return new Error("x").stack\n//# sourceURL=/etc/passwd\n//# sourceMappingURL=file:///etc/passwd',
    ends: 'anyhow',
  },
  { what: 'an import statement', code: 'import fs from "node:fs"; return fs', ends: ['CODE_SYNTAX_ERROR'] },
  { what: 'an export', code: 'export default 1', ends: ['CODE_SYNTAX_ERROR'] },
  { what: 'import.meta', code: 'return import.meta.url', ends: ['CODE_SYNTAX_ERROR'] },
  {
    what: 'with, delete and octals',
    code: 'with ({ svc: { echo: { say: () => "forged" } } }) { return [svc.echo.say(), delete globalThis.svc, 010] }',
    ends: { returns: ['forged', false, 8] },
  },
  {
    what: 'a function named like an internal function',
    code: 'async function run() { return "mine" } function start() {} const report = 1, complete = 2, open = 3; return [await run(), report + complete + open]',
    ends: { returns: ['mine', 6] },
  },
  {
    what: 'brackets nested a hundred thousand deep',
    code: `return ${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    ends: ['CODE_SYNTAX_ERROR', 'CODE_ERROR', 'CODE_CRASHED', 'CODE_MEMORY'],
  },
  { what: 'a sum of sixty thousand terms', code: `return ${'1+'.repeat(60_000)}1`, ends: 'anyhow' },
  { what: 'conditions nested ten thousand deep', code: `${'if (1) '.repeat(10_000)} return 1`, ends: 'anyhow' },
  {
    what: 'types nested five thousand deep',
    code: `const a: ${'Array<'.repeat(5000)}number${'>'.repeat(5000)} = 1; return 1`,
    ends: 'anyhow',
  },
  { what: 'a fence that is never closed', code: '```\n'.repeat(20_000), ends: 'anyhow' },
  {
    what: 'thirty thousand names',
    code: `const ${Array.from({ length: 30_000 }, (_, n) => `a${n}`).join('=0,')}=0; return a1`,
    ends: { returns: 0 },
  },
  {
    what: 'twenty thousand names, eight hundred blocks deep',
    code: `${'{'.repeat(800)}var ${'a,'.repeat(20_000)}a${'}'.repeat(800)}`,
    ends: 'anyhow',
  },
];
