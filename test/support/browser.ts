import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

const BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The browser of this machine; undefined if none is installed. */
export const browserPath = BROWSERS.find((path) => existsSync(path));

const QUIET = ['--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-quic'];
const IN_CONTAINER = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];

/**
 * Maximum wait for one step in a page, in ms. It is shorter than a test's time limit, so that a
 * failure names the step.
 */
const PATIENCE_MS = 110_000;

/** Starts the browser of this machine. */
export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: browserPath!, args: [...QUIET, ...IN_CONTAINER] });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  };
  return browser;
}

/** The violations that axe finds in a page. `only` limits the rules to one tag. */
export async function accessibilityProblems(page: Page, only?: 'cat.color'): Promise<string[]> {
  await page.evaluate(axe.source);
  // Axe reports only violations: reporting passed rules per element is slow on a long page.
  const options: axe.RunOptions = { resultTypes: ['violations'], ...(only && { runOnly: [only] }) };
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as axe.AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Window widths of a phone and of a desktop computer, in pixels. */
const WIDTHS = [360, 1280];

/**
 * The faults in a page's appearance: violations that axe finds, repeated ids, overflow, and targets
 * too small for a finger. Opens every `<details>`. If the variable SHOTS names a folder, saves
 * screenshots there.
 */
export async function lookProblems(page: Page, name = 'page'): Promise<string[]> {
  const repeated = (await page.evaluate(REPEATED_IDS)) as string[];
  const problems = repeated.map((id) => `several elements have the id ${id}`);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const place = `${width} ${colorScheme}`;
      problems.push(...(await accessibilityProblems(page)).map((problem) => `${place}: ${problem}`));
      if ((await page.evaluate(OVERFLOW)) !== 0) problems.push(`${place}: wider than its window`);
      const path = `${process.env.SHOTS}/${name.replaceAll('/', '_')}-${place}.png`;
      if (process.env.SHOTS) await page.screenshot({ path, fullPage: true });
    }
    if (width === WIDTHS[0]) problems.push(...((await page.evaluate(SMALL_TARGETS)) as string[]).map((target) => `too small: ${target}`));
    if ((await page.evaluate(OVERFLOW)) !== 0) problems.push(`${width}: wider than its window when every <details> is open`);
  }
  return problems;
}

/** A browser expression: the number of pixels by which the page is wider than its window. */
export const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** A browser expression: ids that several elements have. Axe does not report them. */
const REPEATED_IDS = `[...document.querySelectorAll('[id]')].map(({ id }) => id).filter((id, at, ids) => ids.indexOf(id) !== at)`;

/** A browser expression: targets that are too small, except links in a sentence (WCAG 2.5.5). */
const SMALL_TARGETS = `(() => {
  for (const details of document.querySelectorAll('details')) details.open = true;
  const isText = (node) =>
    node.textContent.trim() !== '' &&
    (node.nodeType === Node.TEXT_NODE || (node.tagName !== 'A' && getComputedStyle(node).display === 'inline'));
  const isInSentence = (target) =>
    target.tagName === 'A' && getComputedStyle(target).display === 'inline' && [...target.parentNode.childNodes].some(isText);
  return [...document.querySelectorAll('a[href], button, summary, select, textarea, input:not([type="hidden"])')]
    .filter((target) => target.checkVisibility({ visibilityProperty: true }) && !target.closest('.unseen, .skip'))
    .filter((target) => target.getBoundingClientRect().height < 44 && !isInSentence(target))
    .map((target) => target.outerHTML.slice(0, 200));
})()`;
