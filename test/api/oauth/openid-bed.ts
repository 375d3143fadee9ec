import { freePort } from '../../../standalone/free-port.ts';
import { anOpenIdProvider, type OpenIdProviderBed, type Somebody } from './an-openid-provider.ts';
import { type OAuthBed, openOAuthBed } from './oauth-bed.ts';
import { aBrowser, type PlainBrowser } from './plain-browser.ts';

/** The API with an external OpenID provider. */
export interface OpenIdBed extends OAuthBed {
  provider: OpenIdProviderBed;
  /** Starts a sign-in. Returns the provider's URL. */
  begin(browser: PlainBrowser, path?: string): Promise<string>;
  /** Opens the redirect from the provider. If the page asks to continue, posts the answer. */
  comeBack(browser: PlainBrowser, answer: URL): Promise<void>;
  /**
   * Completes a sign-in in a new browser, and returns this browser. The browser `atProvider` keeps
   * the provider's session.
   */
  signInAs(person: Somebody | 'deny', path?: string, atProvider?: PlainBrowser): Promise<PlainBrowser>;
}

export const ADA: Somebody = { sub: 'ada-1', email: 'Ada@Example.com', email_verified: true };

export async function openOpenIdBed(): Promise<OpenIdBed> {
  // The provider library warns of in-memory records and sample keys. Both are intended here.
  jest.spyOn(console, 'warn').mockImplementation(() => {});
  const port = await freePort(0);
  const provider = await anOpenIdProvider(`http://127.0.0.1:${port}/sign-in/openid/callback`);
  const bed = await openOAuthBed({ PORT: String(port), ...provider.env, OUTBOUND_ALLOW_HTTP: '1', OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' });

  async function begin(browser: PlainBrowser, path = '/account'): Promise<string> {
    await browser.open(path.startsWith('http') ? path : bed.apiUrl + path);
    expect(browser.path).toBe('/sign-in');
    await browser.submit({}, `Sign in with ${new URL(provider.issuer).host}`);
    return browser.leftTo!.href;
  }

  async function comeBack(browser: PlainBrowser, answer: URL): Promise<void> {
    await browser.open(answer.href);
    if (browser.html.includes('>Continue<')) await browser.submit({}, 'Continue');
  }

  async function signInAs(person: Somebody | 'deny', path?: string, atProvider = aBrowser()): Promise<PlainBrowser> {
    const browser = aBrowser();
    await comeBack(browser, await provider.answerOf(await begin(browser, path), person, atProvider));
    return browser;
  }

  const close = () => Promise.all([bed.close(), provider.close()]).then(() => {});
  return { ...bed, provider, begin, comeBack, signInAs, close };
}
