import { operationId } from '../../../api/openapi/operation-id.ts';
import { ROUTES } from '../../../api/routes.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { read, textOf } from './page-bed.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed.close());

test('/docs describes every operation, without a key and without scripts', async () => {
  const { status, html, text, headers } = await read(`${bed.apiUrl}/docs`);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  for (const { method, path, summary } of ROUTES) {
    expect(html).toContain(`id="${operationId(method, path)}"`);
    expect(text).toContain(`${method.toUpperCase()} ${path}`);
    expect(text).toContain(summary.replace(/\s+/g, ' '));
  }
  expect(text).not.toMatch(/undefined|\[object Object\]/);
});

test('an operation is described with fields, bounds, examples, errors and a curl command', async () => {
  const { html } = await read(`${bed.apiUrl}/docs`);
  const part = html.slice(html.indexOf('id="postApprovalPolicies"'));
  const text = textOf(part.slice(0, part.indexOf('</details>')));
  for (const words of [
    'name required',
    'text, 1 to 120 characters',
    'priority',
    'integer, 0 to 10000. Default: 100',
    'one of block, require_approval, notify_only, auto_approve',
    'ApprovalPolicy',
    'SCOPE_DENIED',
    'RATE_LIMITED',
    'curl -X POST',
    'Authorization: Bearer $API_KEY',
  ])
    expect(text).toContain(words);
});

test('only the page’s own script is loaded, and no other script can run', async () => {
  const { html, headers } = await read(`${bed.apiUrl}/docs`);
  const policy = headers.get('content-security-policy')!;
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("connect-src 'self'");
  expect(policy).not.toContain('unsafe');
  expect([...html.matchAll(/\ssrc="([^"]*)"/g)].map(([, address]) => address)).toEqual(['/docs/try.js']);
  expect(html).not.toMatch(/<link|@import|url\(|\son\w+=|\sstyle=/);
  const script = await read(`${bed.apiUrl}/docs/try.js`);
  expect([script.status, script.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
  expect(script.html).not.toMatch(/localStorage|sessionStorage|document\.cookie|indexedDB/);
});

test('links within the page have a target, and anchors are unique', async () => {
  const { html } = await read(`${bed.apiUrl}/docs`);
  const ids = [...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [, target] of html.matchAll(/href="#([^"]*)"/g)) expect(ids).toContain(target);
  for (const [, target] of html.matchAll(/\s(?:for|aria-labelledby)="([^"]*)"/g)) expect(ids).toContain(target);
});

test('the page is not sent again if it has not changed', async () => {
  const { headers } = await read(`${bed.apiUrl}/docs`);
  const again = await fetch(`${bed.apiUrl}/docs`, { headers: { 'if-none-match': headers.get('etag')! } });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

test('the page is read-only', async () => {
  const answer = await fetch(`${bed.apiUrl}/docs`, { method: 'POST', body: 'x' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});
