import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

const BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The browser of this machine; undefined where none is installed. */
export const browserPath = BROWSERS.find((path) => existsSync(path));

const QUIET = ['--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-quic'];
const IN_CONTAINER = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];

/** Starts the browser of this machine. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: browserPath!, args: [...QUIET, ...IN_CONTAINER] });
}

/** What axe finds wrong with a page, each with where; empty for an accessible page. With a tag of its rules, by those alone. */
export async function accessibilityProblems(page: Page, only?: 'cat.color'): Promise<string[]> {
  await page.evaluate(axe.source);
  // On a long page, saying of each element what is right with it would take most of the time.
  const options: axe.RunOptions = { resultTypes: ['violations'], ...(only && { runOnly: [only] }) };
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as axe.AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** How many pixels the page is wider than its window; runs in the browser. */
export const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
