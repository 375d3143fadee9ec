import type { Browser, BrowserContext, Page } from 'playwright-core';
import { createOrg } from '../../../../commands/access/create-org.ts';
import { issueSetupLink } from '../../../../commands/members/set-up.ts';
import { browserPath, lookProblems, openBrowser } from '../../../support/browser.ts';
import { sampled } from '../../../support/extent.ts';
import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { type AppMember, aMember } from './app-bed.ts';
import { screenIds } from './screen-ids.ts';
import { SCREEN_MATRIX } from './screen-matrix.ts';
import { type Filling, filledPath, isLookedAt, type ScreenIds, statesOf } from './screen-row.ts';

interface Look {
  name: string;
  act: string;
  filling: Filling;
}

/** Most forms are sent empty, to get their errors. */
const LOOKS: Look[] = Object.entries(SCREEN_MATRIX).flatMap(([act, row]) => {
  const all = statesOf(row).map(({ name, filling }) => ({ name: `${act} ${name}`.trim(), act, filling }));
  if (act.startsWith('get ')) return isLookedAt(act, row) ? all : [];
  return [200, 400].includes(row.expect.owner) ? all : all.slice(1);
});

const EMPTY = LOOKS.filter(({ name }) => /^get (?:\/|\/[a-z]+|\/settings\/[a-z-]+|\/playground\/[a-z]+)$/.test(name));

const pathOf = (link: string) => new URL(link).pathname + new URL(link).search;

function inBrowser(): void {
  let bed: ApiBed;
  let browser: Browser;
  let owner: AppMember;
  let ids: ScreenIds;
  let context: BrowserContext;
  beforeAll(async () => {
    [bed, browser] = await Promise.all([openApiBed(), openBrowser()]);
    setupLink = pathOf((await issueSetupLink(bed.gateway, bed.orgId))!);
    await lookAt('set up', await contextOf(undefined), setupLink);
    owner = await aMember(bed, 'owner', { name: 'Ada Lovelace' });
    ids = await screenIds(bed);
    context = await contextOf(owner);
  });
  let setupLink: string;
  afterAll(async () => {
    await browser?.close();
    await bed?.close();
  });

  async function contextOf(member: AppMember | undefined): Promise<BrowserContext> {
    const opened = await browser.newContext();
    if (member) await opened.addCookies([{ name: 'gateway', value: member.sessionToken, url: bed.apiUrl }]);
    return opened;
  }

  async function lookAt(name: string, within: BrowserContext, path: string, form?: Record<string, string>): Promise<void> {
    const page = await within.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      // The browser logs a message for every error status.
      if (!message.text().includes('the server responded with a status of 4')) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    if (form) await send(page, path, form);
    else await page.goto(bed.apiUrl + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect([name, await lookProblems(page, name)]).toEqual([name, []]);
    expect([name, complaints]).toEqual([name, []]);
    await page.close();
  }

  async function send(page: Page, path: string, fields: Record<string, string>): Promise<void> {
    await page.goto(`${bed.apiUrl}/app/go`);
    const sent = page.evaluate(
      `((path, fields) => {
        const form = document.body.appendChild(document.createElement('form'));
        Object.assign(form, { method: 'post', action: path });
        for (const [name, value] of fields) form.append(Object.assign(document.createElement('input'), { name, value }));
        form.submit();
      })(${JSON.stringify(path)}, ${JSON.stringify(Object.entries(fields))})`,
    );
    await Promise.all([page.waitForNavigation(), sent]);
  }

  test.each(sampled(LOOKS, 8))(
    '$name: axe finds no violation, and the page and its click targets fit a phone',
    async ({ name, act, filling }) => {
      const path = `/app${filledPath(act, filling, ids)}`;
      await lookAt(name, context, path, act.startsWith('post ') ? (filling.fields?.(ids) ?? {}) : undefined);
    },
  );

  test.each(sampled(EMPTY, 2))('$name, without records', async ({ name, act, filling }) => {
    const { orgId } = await createOrg(bed.gateway, 'Empty');
    const empty = await contextOf(await aMember({ ...bed, orgId }, 'owner'));
    await lookAt(name, empty, `/app${filledPath(act, filling, ids)}`);
    await empty.close();
  });

  test('pages without a session and error pages have no faults', async () => {
    const stranger = await contextOf(undefined);
    const viewer = await contextOf(await aMember(bed, 'viewer'));
    const { signInLink } = await bed.api.must(201).post('/api/v1/members', { name: 'Eve', email: 'eve@example.com', role: 'viewer' });
    const pages: [string, BrowserContext, string, Record<string, string>?][] = [
      ['sign in', stranger, '/app/sign-in'],
      ['a refused sign-in', stranger, '/app/sign-in', { email: 'ada@example.com', password: 'wrong' }],
      ['a link to sign in', stranger, pathOf(signInLink)],
      ['an invalid sign-in link', stranger, '/app/sign-in/link?token=sil_x'],
      ['an expired set-up link', stranger, setupLink],
      ['nothing here', context, '/app/nowhere'],
      ['not found, for a stranger', stranger, '/app/sign-in/nowhere'],
      ['not allowed', viewer, '/app/keys/new'],
      ['a form after the end of the session', stranger, '/app/workspaces/new', { name: 'Kept', slug: 'kept' }],
      ['an owner without a recent sign-in', context, '/app/settings/keys/signing/rotate'],
    ];
    for (const [name, within, path, form] of pages) await lookAt(name, within, path, form);
  });
}

if (browserPath) describe('the dashboard in a real browser', inBrowser);
else test.skip('the dashboard in a real browser (skipped: Chromium and Chrome are not installed)', () => {});
