import { freePort } from '../../../../../standalone/free-port.ts';
import { type ApiBed, openApiBed } from '../../../api-bed.ts';
import { anOpenIdProvider, type OpenIdProviderBed, type Somebody } from '../../../oauth/an-openid-provider.ts';
import { aBrowser, type PlainBrowser } from '../../../oauth/plain-browser.ts';

/** The API with an OpenID provider at which members sign in. */
export interface OpenIdMembersBed extends ApiBed {
  provider: OpenIdProviderBed;
  /** Starts a sign-in from the sign-in page. Returns the provider's URL. */
  begin(browser: PlainBrowser, query?: string): Promise<string>;
  /** Signs in at the provider, without following the provider's redirect. */
  almost(person: Somebody | 'deny', query?: string): Promise<{ browser: PlainBrowser; answer: URL }>;
  /** Completes a sign-in in a new browser. */
  signInAs(person: Somebody | 'deny', query?: string): Promise<PlainBrowser>;
}

/** Opens the API and the provider. For `tellsTime`, see `anOpenIdProvider`. */
export async function openOpenIdMembersBed(env: Record<string, string> = {}, { tellsTime = false } = {}): Promise<OpenIdMembersBed> {
  // The provider library warns of in-memory records and sample keys. Both are intended here.
  jest.spyOn(console, 'warn').mockImplementation(() => {});
  const port = await freePort(0);
  const provider = await anOpenIdProvider(`http://127.0.0.1:${port}/app/sign-in/openid/callback`, { tellsTime });
  const own = { PORT: String(port), OUTBOUND_ALLOW_HTTP: '1', OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' };
  const bed = await openApiBed({ ...own, ...provider.env, ...env });

  async function begin(browser: PlainBrowser, query = ''): Promise<string> {
    await browser.open(`${bed.apiUrl}/app/sign-in${query}`);
    await browser.submit({}, `Sign in with ${new URL(provider.issuer).host}`);
    const [, url] = /<a class="button first" href="([^"]+)">Continue</.exec(browser.html) ?? [];
    if (url === undefined) throw new Error(`no link to the provider: ${browser.html}`);
    return url.replaceAll('&amp;', '&');
  }

  async function almost(person: Somebody | 'deny', query?: string) {
    const browser = aBrowser();
    return { browser, answer: await provider.answerOf(await begin(browser, query), person) };
  }

  async function signInAs(person: Somebody | 'deny', query?: string): Promise<PlainBrowser> {
    const { browser, answer } = await almost(person, query);
    await browser.open(answer.href);
    await browser.submit({}, 'Continue');
    return browser;
  }

  const close = () => Promise.all([bed.close(), provider.close()]).then(() => {});
  return { ...bed, provider, begin, almost, signInAs, close };
}
