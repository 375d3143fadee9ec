import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AuthValue } from '../../integrations/definition.ts';
import { echo, token } from './echo-provider.ts';
import { type Fake, openFake, run } from './providers/provider-bed.ts';

let fake: Fake;

beforeAll(async () => {
  fake = await openFake('https://api.tasks.example');
});
afterAll(() => fake.close());
const say = (changes: Parameters<typeof echo>[0] = {}, auth: AuthValue | null = token, call: { signal?: AbortSignal; now?: Date } = {}) =>
  run(echo(changes), 'say', {}, { auth, outbound: fake.outbound, ...call });

describe('error messages', () => {
  test('an answer that is not JSON', async () => {
    fake.answers({ body: '<html>Hello</html>' });
    await expect(say()).rejects.toMatchObject({
      code: 'ACTION_FAILED',
      message: 'Echo answered 200 with something that is not JSON.',
      details: { status: 200, reason: 'unexpected_answer' },
    });
  });

  test('an answer of an unexpected shape, with a warning if the call may have taken effect', async () => {
    fake.answers({ body: { said: 5 } });
    await expect(say()).rejects.toMatchObject({
      message: 'Echo answered in an unexpected form: said. The action may have taken effect.',
      details: { reason: 'unexpected_answer' },
    });
    fake.answers({ body: undefined });
    await expect(say({ shape: { request: { path: '/say' } } })).rejects.toMatchObject({
      message: 'Echo answered in an unexpected form: the whole.',
    });
  });

  test('an answer that is nested too deeply', async () => {
    fake.answers({ body: '['.repeat(500_000) + ']'.repeat(500_000) });
    await expect(say()).rejects.toMatchObject({ code: 'ACTION_FAILED' });
    fake.answers({ status: 500, body: '['.repeat(500_000) + ']'.repeat(500_000) });
    await expect(say({ errors: { message: 'error' } })).rejects.toMatchObject({ code: 'ACTION_FAILED' });
  });

  test('an answer that is too large', async () => {
    fake.answers({ body: { said: 'x'.repeat(2000) } });
    await expect(say({ shape: { maxBytes: 1000 } })).rejects.toMatchObject({ code: 'ACTION_FAILED', details: { reason: 'too_large' } });
  });

  test('a timeout and a canceled call', async () => {
    fake.answers(() => {});
    await expect(say({ shape: { timeoutSeconds: 0.05 } })).rejects.toMatchObject({ code: 'ACTION_FAILED', details: { reason: 'timeout' } });
    await expect(say({}, token, { signal: AbortSignal.abort() })).rejects.toMatchObject({ details: { reason: 'aborted' } });
  });

  test('a broken connection', async () => {
    fake.answers((response) => response.destroy());
    await expect(say()).rejects.toMatchObject({ code: 'ACTION_FAILED', details: { reason: 'unreachable' } });
  });

  test('a redirect, which is never followed', async () => {
    fake.answers({ status: 302, headers: { location: 'https://evil.example/' } });
    await expect(say()).rejects.toMatchObject({ message: 'Echo answered 302 Found.', details: { status: 302 } });
    expect(fake.seen).toHaveLength(1);
  });

  test.each([
    ['a page of HTML is not quoted', '<!doctype html><title>Bad gateway</title>', 'Echo answered 502 Bad Gateway.'],
    ['plain text is quoted', ' upstream\n\tdown ', 'Echo answered 502 Bad Gateway: upstream down'],
    ['JSON of another shape is quoted', { detail: 'down' }, 'Echo answered 502 Bad Gateway: {"detail":"down"}'],
    ['a long body is cut', 'x'.repeat(600), `Echo answered 502 Bad Gateway: ${'x'.repeat(468)}…`],
    ['an empty body adds nothing', undefined, 'Echo answered 502 Bad Gateway.'],
  ])('a failure: %s', async (_, body, message) => {
    fake.answers({ status: 502, body });
    await expect(say()).rejects.toMatchObject({ code: 'ACTION_FAILED', message, details: { status: 502 } });
  });

  test('an unusual status', async () => {
    fake.answers({ status: 599, headers: {} });
    await expect(say()).rejects.toMatchObject({ message: 'Echo answered 599.' });
  });

  test.each([
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:01:30 GMT' }, 90],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'x-ratelimit-reset': '1767225660' }, 60],
    [{ 'x-ratelimit-reset': '6m0s' }, undefined],
    [{}, undefined],
  ])('the error for 429 with the headers %j has retryAfterSeconds: %p', async (headers, seconds) => {
    fake.answers({ status: 429, headers });
    const error = await say({}, token, { now: new Date('2026-01-01T00:00:00Z') }).catch((thrown) => thrown);
    expect(error.message).toBe(`Echo takes no more calls at the moment; try again ${seconds === undefined ? 'later' : `in ${seconds} s`}.`);
    expect(error.details).toEqual({ status: 429, reason: 'rate_limited', ...(seconds !== undefined && { retryAfterSeconds: seconds }) });
  });

  test('an error contains no request header', async () => {
    fake.answers({ status: 500, body: {} });
    const error = await say({ headers: { 'x-internal': 'header-value' } }).catch((thrown) => thrown);
    expect(fake.seen[0]!.headers['x-internal']).toBe('header-value');
    expect(JSON.stringify([error.message, error.details, String(error.stack)])).not.toMatch(/header-value|s3cret/);
  });
});
