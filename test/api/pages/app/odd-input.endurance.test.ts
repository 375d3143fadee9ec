import { request } from 'node:http';
import { extent, sampled } from '../../../support/extent.ts';
import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { type AppMember, aMember } from './app-bed.ts';
import { screenIds } from './screen-ids.ts';
import { SCREEN_MATRIX } from './screen-matrix.ts';
import type { ScreenIds } from './screen-row.ts';

// Odd input must never cause a 5xx other than 503.

let bed: ApiBed;
let ids: ScreenIds;
let owner: AppMember;
beforeAll(async () => {
  bed = await openApiBed();
  ids = await screenIds(bed);
  owner = await aMember(bed, 'owner');
}, 120_000);
afterAll(() => bed?.close());

const ODD = [
  ...['%00', '%ff', '%ed%a0%80', '%f0%9f%92%a9', '%0d%0aX-Odd:1', '%25', '%', '%2e%2e%2f', '%e2%80%ae', '[]', '[object%20Object]'],
  ...['__proto__', 'constructor', 'toString', 'null', 'undefined', 'NaN', '-1', '0', '1e999', '9'.repeat(400), '2026-02-30', '0000-01-01'],
  ...['%7b%22__proto__%22:%7b%22a%22:1%7d%7d', '%22%5cud800%22', '%3cscript%3e', "'%22%60", '%25%27%20or%201=1--'],
  ...['%5b'.repeat(5000), 'x'.repeat(6000)],
];

/** Unlike `fetch`, sends the path and body without further encoding. */
function send(method: string, path: string, body?: string): Promise<number> {
  const { hostname, port } = new URL(bed.apiUrl);
  const headers = {
    ...{ Cookie: owner.cookie, Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin' },
    ...(body !== undefined && { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': Buffer.byteLength(body) }),
  };
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, method, path: `/app${path}`, headers }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode!));
    });
    asked.once('error', reject).end(body);
  });
}

const filled = (path: string, params: Record<string, string>) =>
  path.replace(/^\/$/, '').replace(/\{(\w+)\}/g, (_, name) => params[name] ?? 'b'.repeat(8));

async function namesOn(path: string): Promise<string[]> {
  const { html } = await owner.get(path);
  return [...new Set([...html.matchAll(/<(?:input|select|textarea)[^>]* name="([^"]+)"/g)].map(([, name]) => name!))];
}

const ROWS = Object.entries(SCREEN_MATRIX).map(([act, row]) => {
  const [method, path] = act.split(' ') as [string, string];
  return { act, method: method.toUpperCase(), path, params: () => row.params?.(ids) ?? {}, fields: row.fields };
});
const ALWAYS = [
  ...['page', 'workspace', 'current', 'keep', 'versions', 'server', 'integration', 'input.url', 'next', 'part'],
  ...['__proto__', 'constructor'],
];
/** Forms to skip: they end or change records that other forms need, or end the session. */
const ENDS = /\/(?:delete|remove|disconnect|revoke|cancel|account|everywhere|out|replace-token|rotate)$|settings\/members/;

const READS = ROWS.filter(({ method }) => method === 'GET');
const OF_RECORDS = ROWS.filter(({ path }) => path.includes('{'));
const ACTS = ROWS.filter(({ method, path }) => method === 'POST' && !ENDS.test(path));

test.each(sampled(READS, 8))('$act handles any query', async ({ path, params }) => {
  const page = filled(path, params());
  for (const name of new Set([...ALWAYS, ...(await namesOn(page))])) {
    for (const odd of sampled(ODD, 4)) {
      const status = await send('GET', `${page}?${name}=${odd}&${name}=${odd}`);
      expect([name, odd, kindOf(status)]).toEqual([name, odd, 'answered']);
    }
  }
});

test.each(sampled(OF_RECORDS, 10))('$act handles any parameter', async ({ method, path, params }) => {
  for (const name of [...path.matchAll(/\{(\w+)\}/g)].map(([, one]) => one!)) {
    for (const odd of sampled(ODD, 6)) {
      const status = await send(method, filled(path, { ...params(), [name]: odd }), method === 'POST' ? '' : undefined);
      expect([name, odd, kindOf(status)]).toEqual([name, odd, 'answered']);
    }
  }
});

test.each(sampled(ACTS, 8))('$act handles any form', async (row) => {
  const path = filled(row.path, row.params());
  const given = row.fields?.(ids) ?? {};
  const names = new Set([...ALWAYS, ...Object.keys(given), ...(await namesOfForms(path))]);
  const rest = (without: string) => new URLSearchParams(Object.entries({ ...given }).filter(([name]) => name !== without));
  for (const name of names) {
    for (const odd of sampled(ODD, 3)) {
      const status = await send('POST', path, `${encodeURIComponent(name)}=${odd}&${encodeURIComponent(name)}=${odd}&${rest(name)}`);
      expect([name, odd, kindOf(status)]).toEqual([name, odd, 'answered']);
    }
  }
  for (const body of ['%', '&&&=', '=', '\u0000', 'a='.repeat(extent({ whole: 5000, sample: 100 }))]) {
    expect([body.slice(0, 10), kindOf(await send('POST', path, body))]).toEqual([body.slice(0, 10), 'answered']);
  }
});

/** A form is usually on the page whose path is the form's action, or one segment shorter. */
async function namesOfForms(path: string): Promise<string[]> {
  const found = await Promise.all([path, path.slice(0, path.lastIndexOf('/'))].map(namesOn));
  return found.flat();
}

/** 503 is allowed: some actions need Temporal, which is missing here. */
function kindOf(status: number): string {
  return status < 500 || status === 503 ? 'answered' : `failed with ${status}`;
}
